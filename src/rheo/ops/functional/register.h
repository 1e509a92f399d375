// The operations that call functions of the program: calls, and conditionals and loops that were
// not turned into Switch and Merge.
#ifndef RHEO_OPS_FUNCTIONAL_REGISTER_H_
#define RHEO_OPS_FUNCTIONAL_REGISTER_H_

#include <string_view>
#include <vector>

#include "rheo/autodiff/gradient_registry.h"
#include "rheo/kernel/kernel_registry.h"
#include "rheo/op/op_registry.h"

namespace rheo::ops {

// Sets the shape functions. NOT_FOUND when `registry` lacks the public ops.
Status RegisterFunctionalSchemas(op::OpRegistry& registry);
void RegisterFunctionalKernels(kernel::KernelRegistry& registry);
void RegisterFunctionalGradients(autodiff::GradientRegistry& registry);

// Every op of this family, ordered by name.
std::vector<std::string_view> FunctionalOps();

}  // namespace rheo::ops

#endif  // RHEO_OPS_FUNCTIONAL_REGISTER_H_
