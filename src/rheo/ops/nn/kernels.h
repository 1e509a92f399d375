// The groups of kernels that make up the family, one file each.
#ifndef RHEO_OPS_NN_KERNELS_H_
#define RHEO_OPS_NN_KERNELS_H_

#include "rheo/kernel/kernel_registry.h"
#include "rheo/ops/common/type_lists.h"

namespace rheo::ops {

void RegisterActivationKernels(kernel::KernelRegistry& registry);
void RegisterActivationGradKernels(kernel::KernelRegistry& registry);
void RegisterLeakyReluKernels(kernel::KernelRegistry& registry);
void RegisterSoftmaxKernels(kernel::KernelRegistry& registry);
void RegisterCrossEntropyKernels(kernel::KernelRegistry& registry);
void RegisterSparseCrossEntropyKernels(kernel::KernelRegistry& registry);
void RegisterBiasKernels(kernel::KernelRegistry& registry);
void RegisterL2LossKernels(kernel::KernelRegistry& registry);
void RegisterTopKKernels(kernel::KernelRegistry& registry);
void RegisterConv2DKernels(kernel::KernelRegistry& registry);
void RegisterInTopKKernels(kernel::KernelRegistry& registry);

}  // namespace rheo::ops

#endif  // RHEO_OPS_NN_KERNELS_H_
