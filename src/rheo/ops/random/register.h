// The operations that give random numbers, bit for bit TensorFlow's.
#ifndef RHEO_OPS_RANDOM_REGISTER_H_
#define RHEO_OPS_RANDOM_REGISTER_H_

#include <string_view>
#include <vector>

#include "rheo/autodiff/gradient_registry.h"
#include "rheo/kernel/kernel_registry.h"
#include "rheo/op/op_registry.h"

namespace rheo::ops {

// Sets the shape functions. NOT_FOUND when `registry` lacks the public ops.
Status RegisterRandomSchemas(op::OpRegistry& registry);
void RegisterRandomKernels(kernel::KernelRegistry& registry);
void RegisterRandomGradients(autodiff::GradientRegistry& registry);

// Every op of this family, ordered by name.
std::vector<std::string_view> RandomOps();

}  // namespace rheo::ops

#endif  // RHEO_OPS_RANDOM_REGISTER_H_
