#include "gradient_check.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "evaluate.h"
#include "rheo/builder/scope.h"

namespace rheo::ops {
namespace {

using builder::Output;

constexpr double kStep = 1e-6;

bool IsDouble(DType dtype) { return dtype == DType::kDouble || dtype == DType::kComplex128; }

// The numbers of a tensor of doubles; of a complex one the real and imaginary parts in turn. A
// gradient by a complex x is that by its real part plus i times that by its imaginary part, so the
// parts are compared as if they were inputs of their own.
std::span<const double> Numbers(const Tensor& t) {
  const auto parts = static_cast<size_t>(t.dtype() == DType::kComplex128 ? 2 : 1);
  return {static_cast<const double*>(t.data()), static_cast<size_t>(t.num_elements()) * parts};
}

// The op of a case with placeholders as inputs, and the gradients of its double outputs by its
// double inputs, each output weighed with a fixed random tensor.
class Gradient {
 public:
  Gradient(const ConcreteCase& c, const runtime::Registries& registries, KernelRunner& runner)
      : case_(c),
        registries_(registries),
        runner_(runner),
        scope_(builder::Scope::NewRoot(registries.ops)) {}

  Status Check() {
    RHEO_RETURN_IF_ERROR(Build());
    RHEO_ASSIGN_OR_RETURN(const std::vector<Tensor> analytic, Analytic());
    for (size_t k = 0; k < checked_.size(); ++k) {
      RHEO_RETURN_IF_ERROR(CompareInput(checked_[k], analytic[k]));
    }
    return OkStatus();
  }

 private:
  Status Build() {
    for (size_t i = 0; i < case_.inputs.size(); ++i) {
      const Tensor& value = case_.inputs[i];
      const bool varies = IsChecked(i);
      // Inputs that stay are constants, as in most programs; the rest have known shapes.
      inputs_.push_back(varies ? Output(AddOp(scope_, "Placeholder", {},
                                              {{"dtype", value.dtype()}, {"shape", value.shape()}}))
                               : builder::Const(scope_, value));
      if (varies) checked_.push_back(i);
    }
    operation_ = AddOp(scope_, case_.op, inputs_, case_.attrs);
    return scope_.status();
  }

  bool IsChecked(size_t i) const {
    const std::vector<int>& only = case_.gradient_inputs;
    return IsDouble(case_.inputs[i].dtype()) &&
           (only.empty() || std::find(only.begin(), only.end(), static_cast<int>(i)) != only.end());
  }

  StatusOr<std::vector<Tensor>> Analytic() {
    RHEO_ASSIGN_OR_RETURN(const std::vector<Tensor> values, Outputs(case_.inputs));
    std::vector<Output> ys;
    std::vector<Output> grad_ys;
    for (size_t i = 0; i < values.size(); ++i) {
      weights_.push_back(
          RandomTensor(values[i].dtype(), values[i].shape(), {.low = 0.5, .high = 1.5}, i + 1));
      // Losses alone: other outputs of double type may be gradients themselves.
      if (!IsDouble(values[i].dtype()) || i > 0) continue;
      ys.push_back(operation_.output(static_cast<int>(i)));
      grad_ys.push_back(builder::Const(scope_, weights_.back()));
    }
    std::vector<Output> xs;
    for (const size_t i : checked_) xs.push_back(inputs_[i]);
    RHEO_ASSIGN_OR_RETURN(const std::vector<Output> grads,
                          autodiff::AddGradients(scope_, ys, xs, grad_ys, registries_.gradients));
    return Values(grads, xs);
  }

  // Zeros where no gradient flows.
  StatusOr<std::vector<Tensor>> Values(const std::vector<Output>& grads,
                                       const std::vector<Output>& xs) {
    std::vector<graph::Endpoint> fetches;
    Feeds feeds;
    for (size_t k = 0; k < grads.size(); ++k) {
      if (grads[k].has_value()) fetches.push_back(grads[k].endpoint());
      feeds.emplace_back(xs[k].endpoint(), case_.inputs[checked_[k]]);
    }
    RHEO_ASSIGN_OR_RETURN(std::vector<Tensor> fetched,
                          Evaluate(scope_.graph(), fetches, feeds, runner_));
    std::vector<Tensor> values;
    size_t next = 0;
    for (size_t k = 0; k < grads.size(); ++k) {
      const Tensor& input = case_.inputs[checked_[k]];
      values.push_back(grads[k].has_value()
                           ? fetched[next++]
                           : RandomTensor(input.dtype(), input.shape(), {.low = 0, .high = 0}, 0));
    }
    return values;
  }

  StatusOr<std::vector<Tensor>> Outputs(const std::vector<Tensor>& inputs) {
    return runner_.RunOp(case_.op, case_.attrs, inputs);
  }

  // Σ weights · output 0 with number `at` of input i moved.
  StatusOr<double> Loss(size_t i, size_t at, double step) {
    std::vector<Tensor> inputs = case_.inputs;
    inputs[i] = inputs[i].Clone();
    static_cast<double*>(inputs[i].mutable_data())[at] += step;
    RHEO_ASSIGN_OR_RETURN(const std::vector<Tensor> outputs, Outputs(inputs));
    double loss = 0;
    const auto values = Numbers(outputs[0]);
    const auto weights = Numbers(weights_[0]);
    for (size_t k = 0; k < values.size(); ++k) loss += weights[k] * values[k];
    return loss;
  }

  Status CompareInput(size_t i, const Tensor& analytic) {
    if (!(analytic.shape() == case_.inputs[i].shape())) {
      return Internal("the gradient of input {} has the shape {}, must be {}", i,
                      analytic.shape().ToString(), case_.inputs[i].shape().ToString());
    }
    if (analytic.dtype() != case_.inputs[i].dtype()) {
      return Internal("the gradient of input {} is {}, must be {}", i, DTypeName(analytic.dtype()),
                      DTypeName(case_.inputs[i].dtype()));
    }
    const auto numbers = Numbers(analytic);
    for (size_t at = 0; at < numbers.size(); ++at) {
      RHEO_ASSIGN_OR_RETURN(const double up, Loss(i, at, kStep));
      RHEO_ASSIGN_OR_RETURN(const double down, Loss(i, at, -kStep));
      const double numeric = (up - down) / (2 * kStep);
      const double given = numbers[at];
      if (!(std::abs(given - numeric) <= 1e-5 + 1e-4 * std::abs(numeric))) {
        return Internal("number {} of input {}: the gradient is {}, the slope {}", at, i, given,
                        numeric);
      }
    }
    return OkStatus();
  }

  const ConcreteCase& case_;
  const runtime::Registries& registries_;
  KernelRunner& runner_;
  const builder::Scope scope_;
  std::vector<Output> inputs_;
  builder::Operation operation_;
  std::vector<size_t> checked_;  // positions of the inputs that vary
  std::vector<Tensor> weights_;  // by output
};

bool HasNan(const Tensor& t) {
  const auto values = Numbers(t);
  return std::any_of(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
}

}  // namespace

bool HasCheckableGradient(const ConcreteCase& c, const runtime::Registries& registries) {
  if (!c.check_gradient || c.error.has_value() || HasVariables(c)) return false;
  const auto& gradients = registries.gradients;
  if (gradients.Find(c.op) == nullptr || gradients.IsNotDifferentiable(c.op)) return false;
  const StatusOr<op::NodeTypes> types = op::ResolveTypes(*registries.ops.Find(c.op), c.attrs);
  if (!types.ok() || types->outputs.empty() || !IsDouble(types->outputs[0])) return false;
  bool any = false;
  for (const Tensor& t : c.inputs) {
    if (!IsDouble(t.dtype())) continue;
    if (HasNan(t)) return false;
    any = true;
  }
  return any;
}

Status CheckGradient(const ConcreteCase& c, const runtime::Registries& registries,
                     KernelRunner& runner) {
  return Gradient(c, registries, runner).Check();
}

}  // namespace rheo::ops
