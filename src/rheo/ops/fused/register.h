// The family of what TensorFlow's graph optimizer makes of chains of operations. A TensorFlow
// master sends these to its workers; no client writes them.
#ifndef RHEO_OPS_FUSED_REGISTER_H_
#define RHEO_OPS_FUSED_REGISTER_H_

#include "rheo/autodiff/gradient_registry.h"
#include "rheo/base/status.h"
#include "rheo/kernel/kernel_registry.h"
#include "rheo/op/op_registry.h"

namespace rheo::ops {

// Sets the shape functions of the ops of this family. NOT_FOUND when `registry` lacks one.
Status RegisterFusedSchemas(op::OpRegistry& registry);
void RegisterFusedKernels(kernel::KernelRegistry& registry);
// There are none: gradients are made before graphs are optimized.
void RegisterFusedGradients(autodiff::GradientRegistry& registry);

}  // namespace rheo::ops

#endif  // RHEO_OPS_FUSED_REGISTER_H_
