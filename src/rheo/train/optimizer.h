// Optimizer: from a loss to an operation that makes the variables better by one step.
#ifndef RHEO_TRAIN_OPTIMIZER_H_
#define RHEO_TRAIN_OPTIMIZER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rheo/builder/input.h"
#include "rheo/builder/scope.h"
#include "rheo/client/variable.h"

namespace rheo::train {

// The step counter of a graph: an int64 variable "global_step", made by the first call.
client::Variable GlobalStep(const builder::Scope& scope);

struct GradientAndVariable {
  builder::Output gradient;  // empty: the loss does not depend on the variable
  client::Variable variable;
};

// One application of an optimizer while its nodes are built.
class UpdateRule {
 public:
  virtual ~UpdateRule() = default;
  // Adds the operation that changes `variable` by `gradient`. `scope` is beside the variable.
  virtual builder::Operation Update(const builder::Scope& scope, const client::Variable& variable,
                                    const builder::Output& gradient) = 0;
  // Adds what runs after all updates (`scope` has them as control inputs); may be empty.
  virtual std::vector<builder::Operation> Finish(const builder::Scope& scope) = 0;
};

// Mistakes go to the scope, and the operation is empty then.
class Optimizer {
 public:
  // Makes the rule of one application to `variables`, with the variables of its own.
  using MakeRule = std::function<std::unique_ptr<UpdateRule>(
      const builder::Scope& scope, const std::vector<client::Variable>& variables)>;
  Optimizer(std::string name, MakeRule make_rule)
      : name_(std::move(name)), make_rule_(std::move(make_rule)) {}

  // ComputeGradients of all trainable variables, then ApplyGradients.
  builder::Operation Minimize(const builder::Scope& scope, const builder::Output& loss,
                              const client::Variable& global_step = {}) const;
  std::vector<GradientAndVariable> ComputeGradients(
      const builder::Scope& scope, const builder::Output& loss,
      const std::vector<client::Variable>& variables) const;
  // Updates each variable that has a gradient, then adds 1 to `global_step` if there is one.
  // INVALID_ARGUMENT when no variable has a gradient.
  builder::Operation ApplyGradients(const builder::Scope& scope,
                                    const std::vector<GradientAndVariable>& gradients,
                                    const client::Variable& global_step = {}) const;

 private:
  std::string name_;
  MakeRule make_rule_;
};

// The optimizers. Each parameter is a literal or an Output, e.g. a decaying rate.
//
//   Operation step = train::GradientDescent{.rate = 0.1}.Minimize(g, loss);

// w ← w − rate · gradient
struct GradientDescent {
  builder::Input rate = 0.01;

  Optimizer optimizer() const;
  builder::Operation Minimize(const builder::Scope& scope, const builder::Output& loss,
                              const client::Variable& global_step = {}) const {
    return optimizer().Minimize(scope, loss, global_step);
  }
};

// a ← momentum · a + gradient;  w ← w − rate · a   (slot "<variable>/Momentum")
struct Momentum {
  builder::Input rate = 0.01;
  builder::Input momentum = 0.9;
  bool use_nesterov = false;

  Optimizer optimizer() const;
  builder::Operation Minimize(const builder::Scope& scope, const builder::Output& loss,
                              const client::Variable& global_step = {}) const {
    return optimizer().Minimize(scope, loss, global_step);
  }
};

// Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015, algorithm 1 with the
// reordering at the end of its section 2. Slots "<variable>/Adam" and "<variable>/Adam_1", and the
// variables "beta1_power" and "beta2_power".
struct Adam {
  builder::Input rate = 0.001;
  float beta1 = 0.9f;
  float beta2 = 0.999f;
  builder::Input epsilon = 1e-8;

  Optimizer optimizer() const;
  builder::Operation Minimize(const builder::Scope& scope, const builder::Output& loss,
                              const client::Variable& global_step = {}) const {
    return optimizer().Minimize(scope, loss, global_step);
  }
};

}  // namespace rheo::train

#endif  // RHEO_TRAIN_OPTIMIZER_H_
