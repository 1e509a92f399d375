// GradientRegistry: for each op, the function that builds its gradient; AddGradients uses it.
#ifndef RHEO_AUTODIFF_GRADIENT_REGISTRY_H_
#define RHEO_AUTODIFF_GRADIENT_REGISTRY_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/base/string_map.h"
#include "rheo/builder/scope.h"

namespace rheo::autodiff {

// Builds the gradient of `op` in `scope`. `output_grads[i]` is the gradient of output i, empty
// (!has_value()) when nothing flows there. Returns one entry per data input, empty where no
// gradient flows. Build with builder::AddOp and builder::Const; mistakes stay in the scope.
using GradientFn = std::function<StatusOr<std::vector<builder::Output>>(
    const builder::Scope& scope, const builder::Operation& op,
    const std::vector<builder::Output>& output_grads)>;

// Filled once at start, then read from any thread.
class GradientRegistry {
 public:
  // A later function for the same op replaces the earlier one.
  void Add(std::string_view op, GradientFn gradient);
  // No gradient flows through `op` (Shape, comparisons, StopGradient, …).
  void AddNotDifferentiable(std::string_view op);

  // nullptr when the op has none; a not-differentiable op gives a function of empty gradients.
  const GradientFn* Find(std::string_view op) const;
  bool IsNotDifferentiable(std::string_view op) const { return not_differentiable_.contains(op); }
  // All registered ops, ordered by name.
  std::vector<std::string> Ops() const;

 private:
  StringMap<GradientFn> gradients_;
  StringSet not_differentiable_;
};

// d(sum of ys)/d(xs): adds the needed nodes to the scope's graph, under "gradients/", and returns
// one output per x, empty where no y depends on it. `grad_ys` are the incoming gradients, ones
// where it (or an entry of it) is empty. The gradient of an x that is used several times is their
// AddN.
//
// INVALID_ARGUMENT naming an op on the way that has no gradient, a y that is not floating or
// complex, or inputs that do not fit; UNIMPLEMENTED for loops, conditionals and function calls on
// the way; the scope's own error if it has one. On an error the graph may have additional nodes
// that nothing uses. Cost: linear in the size of the graph.
StatusOr<std::vector<builder::Output>> AddGradients(const builder::Scope& scope,
                                                    const std::vector<builder::Output>& ys,
                                                    const std::vector<builder::Output>& xs,
                                                    const std::vector<builder::Output>& grad_ys,
                                                    const GradientRegistry& registry);

}  // namespace rheo::autodiff

#endif  // RHEO_AUTODIFF_GRADIENT_REGISTRY_H_
