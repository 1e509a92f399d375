// Gradients of functions of two numbers that broadcast.
#include "rheo/ops/common/gradient_builder.h"
#include "rheo/ops/math/gradients.h"

namespace rheo::ops {
namespace {

using Grads = std::vector<Output>;
using B = GradientBuilder;

// The gradients grad · conj(by_x) and grad · conj(by_y) in the operands' shapes.
Grads Both(const B& b, const Output& by_x, const Output& by_y) {
  return b.Unbroadcast(b.x(0), b.Mul(b.grad(), b.Conj(by_x)), b.x(1),
                       b.Mul(b.grad(), b.Conj(by_y)));
}

Grads AddGrad(const B& b) { return b.Unbroadcast(b.x(0), b.grad(), b.x(1), b.grad()); }

Grads MulGrad(const B& b) { return Both(b, b.x(1), b.x(0)); }

// -x / y² of x / y, with the division that fits.
Output ByDivisor(const B& b, std::string_view division) {
  return b.Op(division, {b.Op(division, {b.Neg(b.x(0)), b.x(1)}), b.x(1)});
}

Grads DivGrad(const B& b) { return Both(b, b.Op("Reciprocal", {b.x(1)}), ByDivisor(b, "RealDiv")); }

Grads DivNoNanGrad(const B& b) {
  return Both(b, b.Op("DivNoNan", {b.Number(1, b.x(1)), b.x(1)}), ByDivisor(b, "DivNoNan"));
}

// The whole gradient goes where `chosen` holds, the rest to the other operand.
Grads ChoiceGrad(const B& b, std::string_view comparison) {
  const Output chosen = b.Op(comparison, {b.x(0), b.x(1)});
  const Output zero = b.Number(0, b.grad());
  return b.Unbroadcast(b.x(0), b.Select(chosen, b.grad(), zero), b.x(1),
                       b.Select(chosen, zero, b.grad()));
}

Grads PowGrad(const B& b) {
  const Output x = b.x(0);
  const Output y = b.x(1);
  const Output one = b.Number(1, y);
  const Output by_x = b.Mul(y, b.Op("Pow", {x, b.Sub(y, one)}));
  // Real logarithms of numbers that are not positive count as 0.
  const Output zero = b.Number(0, x);
  const Output positive =
      IsComplex(x.dtype()) ? b.Op("NotEqual", {x, zero}) : b.Op("Greater", {x, zero});
  const Output safe = b.Select(positive, x, b.Number(1, x));
  const Output log = b.Select(positive, b.Log(safe), b.ZerosLike(x));
  return Both(b, by_x, b.Mul(b.y(), log));
}

Output IsNonzero(const B& b) {
  return b.Cast(b.Op("NotEqual", {b.x(0), b.Number(0, b.x(0))}), b.x(0).dtype());
}

Grads XlogyGrad(const B& b) {
  return Both(b, b.Op("Xlogy", {IsNonzero(b), b.x(1)}), b.Op("Xdivy", {b.x(0), b.x(1)}));
}

Grads Xlog1pyGrad(const B& b) {
  const Output shifted = b.Add(b.x(1), b.Number(1, b.x(1)));
  return Both(b, b.Op("Xlog1py", {IsNonzero(b), b.x(1)}), b.Op("Xdivy", {b.x(0), shifted}));
}

Grads XdivyGrad(const B& b) {
  const Output by_y = b.Op("Xdivy", {b.Neg(b.x(0)), b.Square(b.x(1))});
  return Both(b, b.Op("Xdivy", {IsNonzero(b), b.x(1)}), by_y);
}

Grads SquaredDifferenceGrad(const B& b) {
  const Output twice = b.Mul(b.Number(2, b.grad()), b.Mul(b.grad(), b.Sub(b.x(0), b.x(1))));
  return b.Unbroadcast(b.x(0), twice, b.x(1), b.Neg(twice));
}

Grads FloorModGrad(const B& b) {
  const Output quotient = b.Op("FloorDiv", {b.x(0), b.x(1)});
  return b.Unbroadcast(b.x(0), b.grad(), b.x(1), b.Mul(b.grad(), b.Neg(quotient)));
}

Grads TruncateModGrad(const B& b) {
  const Output quotient = b.Op("TruncateDiv", {b.x(0), b.x(1)});
  return b.Unbroadcast(b.x(0), b.grad(), b.x(1), b.Mul(b.grad(), b.Neg(quotient)));
}

}  // namespace

void RegisterBinaryGradients(autodiff::GradientRegistry& registry) {
  const auto add = [&](std::string_view op, GradientBody body) { AddGradient(registry, op, body); };
  add("Add", &AddGrad);
  add("AddV2", &AddGrad);
  add("Sub", [](const B& b) { return b.Unbroadcast(b.x(0), b.grad(), b.x(1), b.Neg(b.grad())); });
  add("Mul", &MulGrad);
  add("MulNoNan", [](const B& b) {
    return b.Unbroadcast(b.x(0), b.Op("MulNoNan", {b.grad(), b.x(1)}), b.x(1),
                         b.Op("MulNoNan", {b.x(0), b.grad()}));
  });
  add("Div", &DivGrad);
  add("RealDiv", &DivGrad);
  add("DivNoNan", &DivNoNanGrad);
  add("FloorMod", &FloorModGrad);
  add("Mod", &TruncateModGrad);
  add("TruncateMod", &TruncateModGrad);
  add("Maximum", [](const B& b) { return ChoiceGrad(b, "GreaterEqual"); });
  add("Minimum", [](const B& b) { return ChoiceGrad(b, "LessEqual"); });
  add("Pow", &PowGrad);
  add("Xlogy", &XlogyGrad);
  add("Xlog1py", &Xlog1pyGrad);
  add("Xdivy", &XdivyGrad);
  add("SquaredDifference", &SquaredDifferenceGrad);
  add("Complex", [](const B& b) {
    return b.Unbroadcast(b.x(0), b.Op("Real", {b.grad()}, {{"Tout", b.x(0).dtype()}}), b.x(1),
                         b.Op("Imag", {b.grad()}, {{"Tout", b.x(0).dtype()}}));
  });
  add("AddN", [](const B& b) { return Grads(static_cast<size_t>(b.num_inputs()), b.grad()); });
}

}  // namespace rheo::ops
