// Operations that TensorFlow does not have. docs/adding_an_op.md tells how the first one was made.
#ifndef RHEO_OPS_EXTRA_REGISTER_H_
#define RHEO_OPS_EXTRA_REGISTER_H_

#include "rheo/autodiff/gradient_registry.h"
#include "rheo/base/status.h"
#include "rheo/kernel/kernel_registry.h"
#include "rheo/op/op_registry.h"

namespace rheo::ops {

// ALREADY_EXISTS when `registry` has one of the ops.
Status RegisterExtraSchemas(op::OpRegistry& registry);
void RegisterExtraKernels(kernel::KernelRegistry& registry);
void RegisterExtraGradients(autodiff::GradientRegistry& registry);

}  // namespace rheo::ops

#endif  // RHEO_OPS_EXTRA_REGISTER_H_
