// The operations that update variables by a gradient: one per optimizer, each for reference and
// resource variables, dense and by rows.
#ifndef RHEO_OPS_TRAINING_REGISTER_H_
#define RHEO_OPS_TRAINING_REGISTER_H_

#include <string_view>
#include <vector>

#include "rheo/autodiff/gradient_registry.h"
#include "rheo/kernel/kernel_registry.h"
#include "rheo/op/op_registry.h"

namespace rheo::ops {

// Sets the shape functions. NOT_FOUND when `registry` lacks the public ops.
Status RegisterTrainingSchemas(op::OpRegistry& registry);
void RegisterTrainingKernels(kernel::KernelRegistry& registry);
void RegisterTrainingGradients(autodiff::GradientRegistry& registry);

// Every op of this family, ordered by name.
std::vector<std::string_view> TrainingOps();

}  // namespace rheo::ops

#endif  // RHEO_OPS_TRAINING_REGISTER_H_
