#include "rheo/client/gradients.h"

#include "rheo/client/variable.h"
#include "rheo/client/variable_list.h"

namespace rheo::client {
namespace {

using builder::Operation;
using builder::Output;
using builder::Scope;

// An Extension of Scope.
struct AttachedGradients {
  const autodiff::GradientRegistry* registry = nullptr;
};

// The handle of the variable whose value `x` is, so that all reads count; else `x`.
Output Origin(const Scope& scope, const Output& x) {
  for (const VariableList::Entry& entry : scope.Extension<VariableList>().entries) {
    if (entry.value == x.node()) return Output(Operation(entry.handle, scope.state()));
  }
  return x;
}

}  // namespace

Scope NewRoot(const op::OpRegistry& ops, const autodiff::GradientRegistry& gradients) {
  Scope scope = Scope::NewRoot(ops);
  scope.Extension<AttachedGradients>().registry = &gradients;
  return scope;
}

std::vector<Output> Gradients(const Scope& scope, const std::vector<Output>& ys,
                              const std::vector<Output>& xs, const std::vector<Output>& grad_ys) {
  const autodiff::GradientRegistry* registry = scope.Extension<AttachedGradients>().registry;
  StatusOr<std::vector<Output>> gradients =
      FailedPrecondition("the scope has no gradient functions; make it with client::NewRoot");
  if (registry != nullptr) {
    std::vector<Output> origins;
    for (const Output& x : xs) origins.push_back(Origin(scope, x));
    gradients = AddGradients(scope, ys, origins, grad_ys, *registry);
  }
  if (gradients.ok()) return *std::move(gradients);
  scope.SetError(gradients.status());
  return std::vector<Output>(xs.size());
}

}  // namespace rheo::client
