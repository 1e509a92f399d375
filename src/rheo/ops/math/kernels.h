// The groups of kernels that make up the family, one file each.
#ifndef RHEO_OPS_MATH_KERNELS_H_
#define RHEO_OPS_MATH_KERNELS_H_

#include "rheo/kernel/kernel_registry.h"
#include "rheo/ops/common/type_lists.h"

namespace rheo::ops {

using FloatComplexTypes =
    TypeList<float, double, Half, Bfloat16, std::complex<float>, std::complex<double>>;
using FullFloatTypes = TypeList<float, double>;

void RegisterUnaryKernels(kernel::KernelRegistry& registry);
void RegisterRealUnaryKernels(kernel::KernelRegistry& registry);
void RegisterTrigonometricKernels(kernel::KernelRegistry& registry);
void RegisterArithmeticKernels(kernel::KernelRegistry& registry);
void RegisterDivisionKernels(kernel::KernelRegistry& registry);
void RegisterPowerKernels(kernel::KernelRegistry& registry);
void RegisterGradHelperKernels(kernel::KernelRegistry& registry);
void RegisterComparisonKernels(kernel::KernelRegistry& registry);
void RegisterEqualityKernels(kernel::KernelRegistry& registry);
void RegisterLogicKernels(kernel::KernelRegistry& registry);
void RegisterComplexKernels(kernel::KernelRegistry& registry);
void RegisterSelectKernels(kernel::KernelRegistry& registry);
void RegisterCastKernels(kernel::KernelRegistry& registry);
void RegisterAddNKernels(kernel::KernelRegistry& registry);
void RegisterSumKernels(kernel::KernelRegistry& registry);
void RegisterExtremeKernels(kernel::KernelRegistry& registry);
void RegisterCumulativeKernels(kernel::KernelRegistry& registry);
void RegisterArgKernels(kernel::KernelRegistry& registry);
void RegisterMatMulKernels(kernel::KernelRegistry& registry);
void RegisterBatchMatMulKernels(kernel::KernelRegistry& registry);
void RegisterBroadcastKernels(kernel::KernelRegistry& registry);

}  // namespace rheo::ops

#endif  // RHEO_OPS_MATH_KERNELS_H_
