// The groups of kernels that make up the family, one file each.
#ifndef RHEO_OPS_FUSED_KERNELS_H_
#define RHEO_OPS_FUSED_KERNELS_H_

#include "rheo/kernel/kernel_registry.h"

namespace rheo::ops {

void RegisterFusedMatMulKernels(kernel::KernelRegistry& registry);
void RegisterFusedConv2DKernels(kernel::KernelRegistry& registry);
void RegisterParallelConcatKernels(kernel::KernelRegistry& registry);
void RegisterUnaryCompositionKernels(kernel::KernelRegistry& registry);

}  // namespace rheo::ops

#endif  // RHEO_OPS_FUSED_KERNELS_H_
