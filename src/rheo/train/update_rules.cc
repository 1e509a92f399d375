// The update rules of the optimizers, in terms of TensorFlow's training ops.
#include <array>
#include <utility>

#include "rheo/builder/const_op.h"
#include "rheo/builder/op_call.h"
#include "rheo/builder/operators.h"
#include "rheo/train/optimizer.h"

namespace rheo::train {
namespace {

using builder::OpCall;
using builder::Operation;
using builder::Output;
using builder::Scope;
using client::Variable;
using client::VariableKind;

// "ApplyX" or "ResourceApplyX", as the variable's kind wants it.
std::string ApplyOp(const Variable& variable, const char* suffix) {
  return (variable.kind() == VariableKind::kResource ? "ResourceApply" : "Apply") +
         std::string(suffix);
}

// A variable of zeros beside `of`, named "<of>/<name>".
Variable MakeSlot(const Scope& scope, const Variable& of, const char* name) {
  const PartialShape shape = of.shape();
  if (!shape.IsFullyDefined()) {
    scope.SetError(
        InvalidArgument("variable '{}' has the shape {}: the slot '{}' needs all dimensions",
                        of.variable_name(), shape.ToString(), name));
    return Variable();
  }
  const Scope beside = scope.WithPrefix(of.variable_name()).ColocateWith(of.handle().op());
  const Output zeros = builder::ops::Zeros(
      beside.WithPrefix(of.variable_name() + '/' + name + "/Initializer").WithName("zeros"),
      shape.ToShape(), of.dtype());
  return Variable(beside.WithName(name), zeros, {.kind = of.kind(), .trainable = false});
}

class GradientDescentRule : public UpdateRule {
 public:
  explicit GradientDescentRule(GradientDescent parameters) : parameters_(std::move(parameters)) {}

  Operation Update(const Scope& scope, const Variable& variable, const Output& gradient) override {
    OpCall call(scope, ApplyOp(variable, "GradientDescent"));
    call.In(variable.handle());
    call.In(parameters_.rate);
    call.In(gradient);
    return call.Finish();
  }
  std::vector<Operation> Finish(const Scope&) override { return {}; }

 private:
  const GradientDescent parameters_;
};

class MomentumRule : public UpdateRule {
 public:
  MomentumRule(Momentum parameters, Scope outer)
      : parameters_(std::move(parameters)), outer_(std::move(outer)) {}

  Operation Update(const Scope& scope, const Variable& variable, const Output& gradient) override {
    OpCall call(scope, ApplyOp(variable, "Momentum"));
    call.In(variable.handle());
    call.In(MakeSlot(outer_, variable, "Momentum").handle());
    call.In(parameters_.rate);
    call.In(gradient);
    call.In(parameters_.momentum);
    call.Attr("use_nesterov", parameters_.use_nesterov);
    return call.Finish();
  }
  std::vector<Operation> Finish(const Scope&) override { return {}; }

 private:
  const Momentum parameters_;
  const Scope outer_;
};

class AdamRule : public UpdateRule {
 public:
  AdamRule(Adam parameters, Scope outer, const std::vector<Variable>& variables)
      : parameters_(std::move(parameters)), outer_(std::move(outer)) {
    const Scope beside = outer_.WithPrefix("").ColocateWith(variables.front().handle().op());
    const client::VariableOptions options{.kind = variables.front().kind(), .trainable = false};
    powers_[0] = Variable(beside.WithName("beta1_power"), parameters_.beta1, options);
    powers_[1] = Variable(beside.WithName("beta2_power"), parameters_.beta2, options);
  }

  Operation Update(const Scope& scope, const Variable& variable, const Output& gradient) override {
    OpCall call(scope, ApplyOp(variable, "Adam"));
    call.In(variable.handle());
    call.In(MakeSlot(outer_, variable, "Adam").handle());
    call.In(MakeSlot(outer_, variable, "Adam_1").handle());
    call.In(As(scope, powers_[0], variable.dtype()));
    call.In(As(scope, powers_[1], variable.dtype()));
    call.In(parameters_.rate);
    call.In(parameters_.beta1);
    call.In(parameters_.beta2);
    call.In(parameters_.epsilon);
    call.In(gradient);
    return call.Finish();
  }

  std::vector<Operation> Finish(const Scope& scope) override {
    std::vector<Operation> assigns;
    for (const auto& [power, beta] :
         {std::pair(powers_[0], parameters_.beta1), std::pair(powers_[1], parameters_.beta2)}) {
      const Scope beside = scope.ColocateWith(power.handle().op());
      OpCall call(beside, "Mul");
      call.In(static_cast<const Output&>(power));
      call.In(beta);
      call.Finish();
      assigns.push_back(power.Assign(beside, call.One(0)));
    }
    return assigns;
  }

 private:
  static Output As(const Scope& scope, const Output& value, DType dtype) {
    if (value.dtype() == dtype) return value;
    return AddOp(scope, "Cast", {value}, {{"DstT", dtype}});
  }

  const Adam parameters_;
  const Scope outer_;
  std::array<Variable, 2> powers_;
};

}  // namespace

Optimizer GradientDescent::optimizer() const {
  return Optimizer("GradientDescent", [parameters = *this](const Scope&, const auto&) {
    return std::make_unique<GradientDescentRule>(parameters);
  });
}

Optimizer Momentum::optimizer() const {
  return Optimizer("Momentum", [parameters = *this](const Scope& scope, const auto&) {
    return std::make_unique<MomentumRule>(parameters, scope);
  });
}

Optimizer Adam::optimizer() const {
  return Optimizer("Adam", [parameters = *this](const Scope& scope, const auto& variables) {
    return std::make_unique<AdamRule>(parameters, scope, variables);
  });
}

}  // namespace rheo::train
