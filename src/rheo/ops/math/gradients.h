// The groups of gradients of the family, one file each.
#ifndef RHEO_OPS_MATH_GRADIENTS_H_
#define RHEO_OPS_MATH_GRADIENTS_H_

#include "rheo/autodiff/gradient_registry.h"

namespace rheo::ops {

void RegisterUnaryGradients(autodiff::GradientRegistry& registry);
void RegisterTrigonometricGradients(autodiff::GradientRegistry& registry);
void RegisterBinaryGradients(autodiff::GradientRegistry& registry);
void RegisterSecondGradients(autodiff::GradientRegistry& registry);
void RegisterReductionGradients(autodiff::GradientRegistry& registry);
void RegisterMatMulGradients(autodiff::GradientRegistry& registry);
void RegisterSelectGradients(autodiff::GradientRegistry& registry);

}  // namespace rheo::ops

#endif  // RHEO_OPS_MATH_GRADIENTS_H_
