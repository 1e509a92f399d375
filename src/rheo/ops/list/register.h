// The operations on arrays and lists of tensors: TensorArray, TensorList, Optional. What loops and
// conditionals keep their values in.
#ifndef RHEO_OPS_LIST_REGISTER_H_
#define RHEO_OPS_LIST_REGISTER_H_

#include <string_view>
#include <vector>

#include "rheo/autodiff/gradient_registry.h"
#include "rheo/kernel/kernel_registry.h"
#include "rheo/op/op_registry.h"

namespace rheo::ops {

// Sets the shape functions. NOT_FOUND when `registry` lacks the public ops.
Status RegisterListSchemas(op::OpRegistry& registry);
void RegisterListKernels(kernel::KernelRegistry& registry);
void RegisterListGradients(autodiff::GradientRegistry& registry);

// Every op of this family, ordered by name.
std::vector<std::string_view> ListOps();

}  // namespace rheo::ops

#endif  // RHEO_OPS_LIST_REGISTER_H_
