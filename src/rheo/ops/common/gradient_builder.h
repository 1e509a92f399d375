// GradientBuilder: what a gradient function sees of its op, and short names for the ops it builds.
//
//   AddGradient(registry, "Exp", [](const GradientBuilder& b) -> std::vector<Output> {
//     return {b.Mul(b.grad(), b.Conj(b.y()))};
//   });
#ifndef RHEO_OPS_COMMON_GRADIENT_BUILDER_H_
#define RHEO_OPS_COMMON_GRADIENT_BUILDER_H_

#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "rheo/autodiff/gradient_registry.h"
#include "rheo/builder/scope.h"

namespace rheo::ops {

using builder::Output;

// Lives as long as one call of a gradient function. Mistakes stay in the scope.
class GradientBuilder {
 public:
  GradientBuilder(const builder::Scope& scope, const builder::Operation& operation,
                  const std::vector<Output>& grads)
      : scope_(scope), operation_(operation), grads_(grads) {}

  // ---- The op
  Output x(int i = 0) const { return operation_.input(i); }
  Output y(int i = 0) const { return operation_.output(i); }
  // The gradient of output i; empty when none flows there.
  const Output& grad(int i = 0) const { return grads_[static_cast<size_t>(i)]; }
  int num_inputs() const { return operation_.num_inputs(); }
  std::string node_name() const { return operation_.name(); }
  const op::AttrMap& attrs() const { return operation_.node()->attrs(); }
  bool flag(std::string_view attr) const { return attrs().GetOr(attr, false); }
  // The elements of an integer tensor that is known while the graph is built.
  std::optional<std::vector<int64_t>> ConstantInts(const Output& x) const;

  // ---- Building
  const builder::Scope& scope() const { return scope_; }
  Output Op(std::string_view op, std::initializer_list<Output> inputs,
            op::AttrMap attrs = {}) const;
  builder::Operation Operation(std::string_view op, std::initializer_list<Output> inputs,
                               op::AttrMap attrs = {}) const;
  // A scalar of the dtype of `like`.
  Output Number(double value, const Output& like) const;
  Output Ints(const std::vector<int32_t>& values) const;
  Output Int(int32_t value) const;

  Output Add(const Output& a, const Output& b) const { return Op("AddV2", {a, b}); }
  Output Sub(const Output& a, const Output& b) const { return Op("Sub", {a, b}); }
  Output Mul(const Output& a, const Output& b) const { return Op("Mul", {a, b}); }
  Output Div(const Output& a, const Output& b) const { return Op("RealDiv", {a, b}); }
  Output Neg(const Output& a) const { return Op("Neg", {a}); }
  Output Square(const Output& a) const { return Op("Square", {a}); }
  Output Exp(const Output& a) const { return Op("Exp", {a}); }
  Output Log(const Output& a) const { return Op("Log", {a}); }
  Output Select(const Output& c, const Output& a, const Output& b) const {
    return Op("SelectV2", {c, a, b});
  }
  Output ZerosLike(const Output& a) const { return Op("ZerosLike", {a}); }
  Output Shape(const Output& a) const { return Op("Shape", {a}); }
  Output Reshape(const Output& a, const Output& shape) const { return Op("Reshape", {a, shape}); }
  Output Sum(const Output& a, const Output& axes) const { return Op("Sum", {a, axes}); }
  Output Cast(const Output& a, DType dtype) const;
  // The complex conjugate; of real dtypes `a` itself.
  Output Conj(const Output& a) const;

  // For a function of one number: grad · conj(derivative), the only entry.
  std::vector<Output> Chain(const Output& derivative) const {
    return {Mul(grad(), Conj(derivative))};
  }
  // Takes the gradients of two operands that were broadcast together back to their own shapes.
  std::vector<Output> Unbroadcast(const Output& a, const Output& grad_a, const Output& b,
                                  const Output& grad_b) const;

 private:
  const builder::Scope& scope_;
  const builder::Operation& operation_;
  const std::vector<Output>& grads_;
};

// One entry per data input, empty where no gradient flows.
using GradientBody = std::vector<Output> (*)(const GradientBuilder&);

void AddGradient(autodiff::GradientRegistry& registry, std::string_view op, GradientBody body);
void AddNoGradients(autodiff::GradientRegistry& registry,
                    std::initializer_list<std::string_view> ops);

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_GRADIENT_BUILDER_H_
