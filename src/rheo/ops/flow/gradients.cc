#include "rheo/ops/flow/register.h"

namespace rheo::ops {

// Through conditionals and loops gradients are not built: Switch, Merge and the like have none.
void RegisterFlowGradients(autodiff::GradientRegistry& registry) {
  for (const char* op : {"Abort", "ControlTrigger", "LoopCond"}) registry.AddNotDifferentiable(op);
}

}  // namespace rheo::ops
