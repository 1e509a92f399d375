// Gradients of the operations that are gradients themselves: f(y, dy) for a function's value y.
#include "rheo/ops/common/gradient_builder.h"
#include "rheo/ops/math/gradients.h"

namespace rheo::ops {
namespace {

using Grads = std::vector<Output>;
using B = GradientBuilder;

// dy · grad · conj(y) · factor.
Output Scaled(const B& b, double factor) {
  const Output product = b.Mul(b.Mul(b.Conj(b.x(1)), b.grad()), b.Conj(b.x(0)));
  return b.Mul(product, b.Number(factor, b.grad()));
}

// dy · y (1 - y).
Grads SigmoidGradGrad(const B& b) {
  const Output through = b.Mul(b.Conj(b.x(1)), b.grad());
  return {b.Sub(through, b.Mul(b.Number(2, through), b.Mul(through, b.Conj(b.x(0))))),
          b.Op("SigmoidGrad", {b.Conj(b.x(0)), b.grad()})};
}

// dy · (1 - y²).
Grads TanhGradGrad(const B& b) {
  return {Scaled(b, -2), b.Op("TanhGrad", {b.Conj(b.x(0)), b.grad()})};
}

// dy / (2 conj(y)).
Grads SqrtGradGrad(const B& b) {
  const Output ratio = b.Div(b.grad(), b.x(0));
  return {b.Neg(b.Mul(b.Conj(ratio), b.y())), b.Mul(b.Number(0.5, ratio), ratio)};
}

// -dy conj(y)³ / 2.
Grads RsqrtGradGrad(const B& b) {
  const Output y = b.Conj(b.x(0));
  const Output by_y = b.Mul(b.Mul(b.Number(-1.5, y), b.Square(y)), b.Mul(b.x(1), b.Conj(b.grad())));
  return {by_y, b.Op("RsqrtGrad", {y, b.grad()})};
}

// -dy conj(y)².
Grads ReciprocalGradGrad(const B& b) {
  const Output y = b.Conj(b.x(0));
  const Output by_y = b.Mul(b.Mul(b.Number(-2, y), y), b.Mul(b.x(1), b.Conj(b.grad())));
  return {by_y, b.Op("ReciprocalGrad", {y, b.grad()})};
}

}  // namespace

void RegisterSecondGradients(autodiff::GradientRegistry& registry) {
  AddGradient(registry, "SigmoidGrad", &SigmoidGradGrad);
  AddGradient(registry, "TanhGrad", &TanhGradGrad);
  AddGradient(registry, "SqrtGrad", &SqrtGradGrad);
  AddGradient(registry, "RsqrtGrad", &RsqrtGradGrad);
  AddGradient(registry, "ReciprocalGrad", &ReciprocalGradGrad);
  AddGradient(registry, "InvGrad", &ReciprocalGradGrad);
}

}  // namespace rheo::ops
