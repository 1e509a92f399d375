// The family of dense mathematics: element-by-element operations, comparisons, casts, selection,
// reductions and matrix products.
#ifndef RHEO_OPS_MATH_REGISTER_H_
#define RHEO_OPS_MATH_REGISTER_H_

#include "rheo/autodiff/gradient_registry.h"
#include "rheo/base/status.h"
#include "rheo/kernel/kernel_registry.h"
#include "rheo/op/op_registry.h"

namespace rheo::ops {

// Sets the shape functions of the public ops of this family. NOT_FOUND when `registry` lacks one.
Status RegisterMathSchemas(op::OpRegistry& registry);
void RegisterMathKernels(kernel::KernelRegistry& registry);
void RegisterMathGradients(autodiff::GradientRegistry& registry);

}  // namespace rheo::ops

#endif  // RHEO_OPS_MATH_REGISTER_H_
