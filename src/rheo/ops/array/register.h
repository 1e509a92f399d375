// The array operations: constants, shapes, and whatever moves elements without computing on them.
#ifndef RHEO_OPS_ARRAY_REGISTER_H_
#define RHEO_OPS_ARRAY_REGISTER_H_

#include <string_view>
#include <vector>

#include "rheo/autodiff/gradient_registry.h"
#include "rheo/kernel/kernel_registry.h"
#include "rheo/op/op_registry.h"

namespace rheo::ops {

// Sets the shape functions. NOT_FOUND when `registry` lacks the public ops.
Status RegisterArraySchemas(op::OpRegistry& registry);
void RegisterArrayKernels(kernel::KernelRegistry& registry);
void RegisterArrayGradients(autodiff::GradientRegistry& registry);

// Every op of this family, ordered by name.
std::vector<std::string_view> ArrayOps();

}  // namespace rheo::ops

#endif  // RHEO_OPS_ARRAY_REGISTER_H_
