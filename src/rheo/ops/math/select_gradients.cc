// Gradients of choices between values.
#include "rheo/ops/common/gradient_builder.h"
#include "rheo/ops/math/gradients.h"

namespace rheo::ops {
namespace {

using Grads = std::vector<Output>;
using B = GradientBuilder;

Grads SelectGrad(const B& b) {
  const Output zeros = b.ZerosLike(b.grad());
  return {Output(), b.Op("Select", {b.x(0), b.grad(), zeros}),
          b.Op("Select", {b.x(0), zeros, b.grad()})};
}

// `grad`, of the output's shape, summed to the shape of `x`.
Output SumTo(const B& b, const Output& grad, const Output& x) {
  const builder::Operation axes =
      b.Operation("BroadcastGradientArgs", {b.Shape(b.y()), b.Shape(x)});
  return b.Reshape(b.Sum(grad, axes.output(1)), b.Shape(x));
}

Grads SelectV2Grad(const B& b) {
  const Output zero = b.Number(0, b.grad());
  return {Output(), SumTo(b, b.Select(b.x(0), b.grad(), zero), b.x(1)),
          SumTo(b, b.Select(b.x(0), zero, b.grad()), b.x(2))};
}

// Through the value where it lies within the bounds, else through the bound.
Grads ClipByValueGrad(const B& b) {
  const Output zero = b.Number(0, b.grad());
  const Output below = b.Op("Less", {b.x(0), b.x(1)});
  const Output above = b.Op("Greater", {b.x(0), b.x(2)});
  const Output outside = b.Op("LogicalOr", {below, above});
  return {b.Select(outside, zero, b.grad()), SumTo(b, b.Select(below, b.grad(), zero), b.x(1)),
          SumTo(b, b.Select(above, b.grad(), zero), b.x(2))};
}

}  // namespace

void RegisterSelectGradients(autodiff::GradientRegistry& registry) {
  AddGradient(registry, "Select", &SelectGrad);
  AddGradient(registry, "SelectV2", &SelectV2Grad);
  AddGradient(registry, "ClipByValue", &ClipByValueGrad);
}

}  // namespace rheo::ops
