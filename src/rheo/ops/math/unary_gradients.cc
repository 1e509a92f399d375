// Gradients of functions of one number.
#include <cmath>
#include <numbers>

#include "rheo/ops/common/gradient_builder.h"
#include "rheo/ops/math/gradients.h"

namespace rheo::ops {
namespace {

using Grads = std::vector<Output>;
using B = GradientBuilder;

// c · e^(-x²), the derivative of the error function for c = 2/√π.
Output Bell(const B& b, double c) {
  return b.Mul(b.Number(c, b.x()), b.Exp(b.Neg(b.Square(b.x()))));
}

constexpr double kErfSlope = 2 * std::numbers::inv_sqrtpi;

}  // namespace

void RegisterUnaryGradients(autodiff::GradientRegistry& registry) {
  const auto add = [&](std::string_view op, GradientBody body) { AddGradient(registry, op, body); };
  add("Neg", [](const B& b) -> Grads { return {b.Neg(b.grad())}; });
  add("Abs", [](const B& b) -> Grads { return {b.Mul(b.grad(), b.Op("Sign", {b.x()}))}; });
  add("Square", [](const B& b) { return b.Chain(b.Mul(b.Number(2, b.x()), b.x())); });
  add("Exp", [](const B& b) { return b.Chain(b.y()); });
  add("Expm1", [](const B& b) { return b.Chain(b.Exp(b.x())); });
  add("Log", [](const B& b) { return b.Chain(b.Op("Reciprocal", {b.x()})); });
  add("Log1p",
      [](const B& b) { return b.Chain(b.Op("Reciprocal", {b.Add(b.Number(1, b.x()), b.x())})); });
  add("Sqrt", [](const B& b) -> Grads { return {b.Op("SqrtGrad", {b.y(), b.grad()})}; });
  add("Rsqrt", [](const B& b) -> Grads { return {b.Op("RsqrtGrad", {b.y(), b.grad()})}; });
  for (const char* op : {"Reciprocal", "Inv"}) {
    add(op, [](const B& b) -> Grads { return {b.Op("ReciprocalGrad", {b.y(), b.grad()})}; });
  }
  add("Sigmoid", [](const B& b) -> Grads {
    return {b.Op("SigmoidGrad", {b.Conj(b.y()), b.grad()})};
  });
  add("Tanh", [](const B& b) -> Grads { return {b.Op("TanhGrad", {b.Conj(b.y()), b.grad()})}; });
  add("Erf", [](const B& b) { return b.Chain(Bell(b, kErfSlope)); });
  add("Erfc", [](const B& b) { return b.Chain(Bell(b, -kErfSlope)); });
  add("Erfinv", [](const B& b) {
    return b.Chain(b.Mul(b.Number(1 / kErfSlope, b.x()), b.Exp(b.Square(b.y()))));
  });
  add("Ndtri", [](const B& b) {
    const Output half_square = b.Mul(b.Number(0.5, b.x()), b.Square(b.y()));
    return b.Chain(b.Mul(b.Number(std::sqrt(2 * std::numbers::pi), b.x()), b.Exp(half_square)));
  });
  add("Lgamma", [](const B& b) { return b.Chain(b.Op("Digamma", {b.x()})); });
  add("Real", [](const B& b) -> Grads {
    return {b.Op("Complex", {b.grad(), b.Number(0, b.grad())}, {{"Tout", b.x().dtype()}})};
  });
  add("Imag", [](const B& b) -> Grads {
    return {b.Op("Complex", {b.Number(0, b.grad()), b.grad()}, {{"Tout", b.x().dtype()}})};
  });
  add("ComplexAbs", [](const B& b) -> Grads {
    const Output wide =
        b.Op("Complex", {b.grad(), b.ZerosLike(b.grad())}, {{"Tout", b.x().dtype()}});
    return {b.Mul(wide, b.Op("Sign", {b.x()}))};
  });
  add("Angle", [](const B& b) -> Grads {
    // -grad / (im + i re).
    const op::AttrMap real = {{"Tout", b.grad().dtype()}};
    const op::AttrMap complex = {{"Tout", b.x().dtype()}};
    const Output turned =
        b.Op("Complex", {b.Op("Imag", {b.x()}, real), b.Op("Real", {b.x()}, real)}, complex);
    const Output wide = b.Op("Complex", {b.grad(), b.ZerosLike(b.grad())}, complex);
    return {b.Neg(b.Mul(wide, b.Op("Reciprocal", {turned})))};
  });
  add("Conj", [](const B& b) -> Grads { return {b.Conj(b.grad())}; });
  add("Cast", [](const B& b) -> Grads {
    const DType source = b.x().dtype();
    if (!IsFloating(source) && !IsComplex(source)) return {Output()};
    return {b.Cast(b.grad(), source)};
  });
}

}  // namespace rheo::ops
