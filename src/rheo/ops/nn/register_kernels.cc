#include "rheo/ops/nn/kernels.h"
#include "rheo/ops/nn/register.h"

namespace rheo::ops {

void RegisterNnKernels(kernel::KernelRegistry& registry) {
  RegisterActivationKernels(registry);
  RegisterActivationGradKernels(registry);
  RegisterLeakyReluKernels(registry);
  RegisterSoftmaxKernels(registry);
  RegisterCrossEntropyKernels(registry);
  RegisterSparseCrossEntropyKernels(registry);
  RegisterBiasKernels(registry);
  RegisterL2LossKernels(registry);
  RegisterTopKKernels(registry);
  RegisterInTopKKernels(registry);
  RegisterConv2DKernels(registry);
}

}  // namespace rheo::ops
