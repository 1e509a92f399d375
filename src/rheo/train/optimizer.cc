#include "rheo/train/optimizer.h"

#include "rheo/builder/const_op.h"
#include "rheo/client/gradients.h"

namespace rheo::train {

using builder::Operation;
using builder::Output;
using builder::Scope;
using client::Variable;

Variable GlobalStep(const Scope& scope) {
  for (const Variable& variable : client::Variables(scope)) {
    if (variable.variable_name() == "global_step") return variable;
  }
  return Variable(scope.WithPrefix("").WithName("global_step"), int64_t{0}, {.trainable = false});
}

Operation Optimizer::Minimize(const Scope& scope, const Output& loss,
                              const Variable& global_step) const {
  return ApplyGradients(scope, ComputeGradients(scope, loss, client::TrainableVariables(scope)),
                        global_step);
}

std::vector<GradientAndVariable> Optimizer::ComputeGradients(
    const Scope& scope, const Output& loss, const std::vector<Variable>& variables) const {
  const std::vector<Output> gradients =
      client::Gradients(scope, {loss}, {variables.begin(), variables.end()});
  std::vector<GradientAndVariable> pairs;
  for (size_t i = 0; i < variables.size(); ++i) pairs.push_back({gradients[i], variables[i]});
  return pairs;
}

Operation Optimizer::ApplyGradients(const Scope& scope,
                                    const std::vector<GradientAndVariable>& gradients,
                                    const Variable& global_step) const {
  if (!scope.status().ok()) return Operation();
  std::vector<Variable> variables;
  for (const GradientAndVariable& pair : gradients) {
    if (pair.gradient.has_value()) variables.push_back(pair.variable);
  }
  if (variables.empty()) {
    scope.SetError(InvalidArgument("{}: no variable has a gradient", name_));
    return Operation();
  }
  const std::string name = scope.WithName(name_).UniqueNameFor(name_);
  const Scope inside = scope.WithPrefix(name);
  const std::unique_ptr<UpdateRule> rule = make_rule_(scope, variables);
  std::vector<Operation> updates;
  for (const auto& [gradient, variable] : gradients) {
    if (!gradient.has_value()) continue;
    updates.push_back(rule->Update(inside.WithPrefix(name + "/update_" + variable.variable_name())
                                       .ColocateWith(variable.handle().op()),
                                   variable, gradient));
  }
  for (const Operation& last : rule->Finish(inside.WithControlInputs(updates))) {
    updates.push_back(last);
  }
  const Scope after = scope.WithControlInputs(updates);
  if (!global_step.has_value()) return AddOp(after.WithReservedName(name), "NoOp");
  return global_step.AssignAdd(after.WithReservedName(name), 1);
}

}  // namespace rheo::train
