// The parts of RegisterArrayGradients that have a file of their own.
#ifndef RHEO_OPS_ARRAY_ARRAY_GRADIENTS_H_
#define RHEO_OPS_ARRAY_ARRAY_GRADIENTS_H_

#include "rheo/autodiff/gradient_registry.h"

namespace rheo::ops {

void RegisterSegmentGradients(autodiff::GradientRegistry& registry);  // segment_gradients.cc
void RegisterUpdateGradients(autodiff::GradientRegistry& registry);   // update_gradients.cc

}  // namespace rheo::ops

#endif  // RHEO_OPS_ARRAY_ARRAY_GRADIENTS_H_
