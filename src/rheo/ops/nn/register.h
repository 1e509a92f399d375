// The family of neural networks: activations, softmax, losses, bias and top-k.
#ifndef RHEO_OPS_NN_REGISTER_H_
#define RHEO_OPS_NN_REGISTER_H_

#include "rheo/autodiff/gradient_registry.h"
#include "rheo/base/status.h"
#include "rheo/kernel/kernel_registry.h"
#include "rheo/op/op_registry.h"

namespace rheo::ops {

// Sets the shape functions of the public ops of this family. NOT_FOUND when `registry` lacks one.
Status RegisterNnSchemas(op::OpRegistry& registry);
void RegisterNnKernels(kernel::KernelRegistry& registry);
void RegisterNnGradients(autodiff::GradientRegistry& registry);

}  // namespace rheo::ops

#endif  // RHEO_OPS_NN_REGISTER_H_
