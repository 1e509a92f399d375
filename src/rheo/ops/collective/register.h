// The operations in which devices of several tasks take part at once: all-reduce, broadcast
// and all-gather.
#ifndef RHEO_OPS_COLLECTIVE_REGISTER_H_
#define RHEO_OPS_COLLECTIVE_REGISTER_H_

#include <string_view>
#include <vector>

#include "rheo/autodiff/gradient_registry.h"
#include "rheo/kernel/kernel_registry.h"
#include "rheo/op/op_registry.h"

namespace rheo::ops {

// Sets the shape functions. NOT_FOUND when `registry` lacks the public ops.
Status RegisterCollectiveSchemas(op::OpRegistry& registry);
void RegisterCollectiveKernels(kernel::KernelRegistry& registry);
void RegisterCollectiveGradients(autodiff::GradientRegistry& registry);

// Every op of this family, ordered by name.
std::vector<std::string_view> CollectiveOps();

}  // namespace rheo::ops

#endif  // RHEO_OPS_COLLECTIVE_REGISTER_H_
