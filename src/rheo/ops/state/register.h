// The operations on variables: by reference (VariableV2) and by resource handle (VarHandleOp).
#ifndef RHEO_OPS_STATE_REGISTER_H_
#define RHEO_OPS_STATE_REGISTER_H_

#include <string_view>
#include <vector>

#include "rheo/autodiff/gradient_registry.h"
#include "rheo/kernel/kernel_registry.h"
#include "rheo/op/op_registry.h"

namespace rheo::ops {

// Sets the shape functions. NOT_FOUND when `registry` lacks the public ops.
Status RegisterStateSchemas(op::OpRegistry& registry);
void RegisterStateKernels(kernel::KernelRegistry& registry);
void RegisterStateGradients(autodiff::GradientRegistry& registry);

// Every op of this family, ordered by name.
std::vector<std::string_view> StateOps();

}  // namespace rheo::ops

#endif  // RHEO_OPS_STATE_REGISTER_H_
