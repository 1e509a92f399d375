#include "rheo/ops/math/kernels.h"
#include "rheo/ops/math/register.h"

namespace rheo::ops {

void RegisterMathKernels(kernel::KernelRegistry& registry) {
  RegisterUnaryKernels(registry);
  RegisterRealUnaryKernels(registry);
  RegisterTrigonometricKernels(registry);
  RegisterArithmeticKernels(registry);
  RegisterDivisionKernels(registry);
  RegisterPowerKernels(registry);
  RegisterGradHelperKernels(registry);
  RegisterComparisonKernels(registry);
  RegisterEqualityKernels(registry);
  RegisterLogicKernels(registry);
  RegisterComplexKernels(registry);
  RegisterSelectKernels(registry);
  RegisterCastKernels(registry);
  RegisterAddNKernels(registry);
  RegisterSumKernels(registry);
  RegisterExtremeKernels(registry);
  RegisterCumulativeKernels(registry);
  RegisterArgKernels(registry);
  RegisterMatMulKernels(registry);
  RegisterBatchMatMulKernels(registry);
  RegisterBroadcastKernels(registry);
}

}  // namespace rheo::ops
