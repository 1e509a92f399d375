// Gradients of trigonometric and hyperbolic functions and their inverses.
#include "rheo/ops/common/gradient_builder.h"
#include "rheo/ops/math/gradients.h"

namespace rheo::ops {
namespace {

using Grads = std::vector<Output>;
using B = GradientBuilder;

Output One(const B& b) { return b.Number(1, b.x()); }

// grad / conj(root of `radicand`), with a sign.
Grads OverRoot(const B& b, const Output& radicand, bool negative = false) {
  const Output slope = b.Op("Rsqrt", {radicand});
  return b.Chain(negative ? b.Neg(slope) : slope);
}

}  // namespace

void RegisterTrigonometricGradients(autodiff::GradientRegistry& registry) {
  const auto add = [&](std::string_view op, GradientBody body) { AddGradient(registry, op, body); };
  add("Sin", [](const B& b) { return b.Chain(b.Op("Cos", {b.x()})); });
  add("Cos", [](const B& b) { return b.Chain(b.Neg(b.Op("Sin", {b.x()}))); });
  add("Tan", [](const B& b) { return b.Chain(b.Add(One(b), b.Square(b.y()))); });
  add("Sinh", [](const B& b) { return b.Chain(b.Op("Cosh", {b.x()})); });
  add("Cosh", [](const B& b) { return b.Chain(b.Op("Sinh", {b.x()})); });
  add("Asin", [](const B& b) { return OverRoot(b, b.Sub(One(b), b.Square(b.x()))); });
  add("Acos", [](const B& b) { return OverRoot(b, b.Sub(One(b), b.Square(b.x())), true); });
  add("Asinh", [](const B& b) { return b.Chain(b.Op("Reciprocal", {b.Op("Cosh", {b.y()})})); });
  add("Acosh", [](const B& b) { return b.Chain(b.Op("Reciprocal", {b.Op("Sinh", {b.y()})})); });
  add("Atan",
      [](const B& b) { return b.Chain(b.Op("Reciprocal", {b.Add(One(b), b.Square(b.x()))})); });
  add("Atanh",
      [](const B& b) { return b.Chain(b.Op("Reciprocal", {b.Sub(One(b), b.Square(b.x()))})); });
  add("Atan2", [](const B& b) -> Grads {
    const Output y = b.x(0);
    const Output x = b.x(1);
    const Output scaled = b.Div(b.grad(), b.Add(b.Square(x), b.Square(y)));
    return b.Unbroadcast(y, b.Mul(x, scaled), x, b.Neg(b.Mul(y, scaled)));
  });
}

}  // namespace rheo::ops
