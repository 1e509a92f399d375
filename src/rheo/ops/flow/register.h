// The operations that steer a step: conditionals and loops, values between devices and tasks, and
// the ends of functions.
#ifndef RHEO_OPS_FLOW_REGISTER_H_
#define RHEO_OPS_FLOW_REGISTER_H_

#include <string_view>
#include <vector>

#include "rheo/autodiff/gradient_registry.h"
#include "rheo/kernel/kernel_registry.h"
#include "rheo/op/op_registry.h"

namespace rheo::ops {

// Sets the shape functions. NOT_FOUND when `registry` lacks the public ops.
Status RegisterFlowSchemas(op::OpRegistry& registry);
void RegisterFlowKernels(kernel::KernelRegistry& registry);
void RegisterFlowGradients(autodiff::GradientRegistry& registry);

// Every op of this family, ordered by name.
std::vector<std::string_view> FlowOps();

}  // namespace rheo::ops

#endif  // RHEO_OPS_FLOW_REGISTER_H_
