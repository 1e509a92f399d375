// Gradients of matrix products.
#include "rheo/ops/common/gradient_builder.h"
#include "rheo/ops/math/gradients.h"

namespace rheo::ops {
namespace {

using Grads = std::vector<Output>;
using B = GradientBuilder;

Output Product(const B& b, const Output& x, bool transpose_x, const Output& y, bool transpose_y) {
  return b.Op("MatMul", {x, y}, {{"transpose_a", transpose_x}, {"transpose_b", transpose_y}});
}

Grads MatMulGrad(const B& b) {
  const bool ta = b.flag("transpose_a");
  const bool tb = b.flag("transpose_b");
  const Output x = b.Conj(b.x(0));
  const Output y = b.Conj(b.x(1));
  const Output& g = b.grad();
  // With op(x) · op(y): the gradient of op(x) is g · op(y)ᵀ, that of op(y) is op(x)ᵀ · g.
  return {ta ? Product(b, y, tb, g, true) : Product(b, g, false, y, !tb),
          tb ? Product(b, g, true, x, ta) : Product(b, x, !ta, g, false)};
}

Output BatchProduct(const B& b, const Output& x, bool adj_x, const Output& y, bool adj_y) {
  return b.Op("BatchMatMulV2", {x, y}, {{"adj_x", adj_x}, {"adj_y", adj_y}});
}

// The shape of `x` without its last two dimensions.
Output BatchShape(const B& b, const Output& x) {
  const Output rank = b.Op("Rank", {x});
  const Output size = b.Op("ExpandDims", {b.Op("Sub", {rank, b.Int(2)}), b.Int(0)});
  return b.Op("Slice", {b.Shape(x), b.Ints({0}), size});
}

bool HaveSameBatch(const Output& x, const Output& y) {
  const PartialShape a = x.shape();
  const PartialShape c = y.shape();
  if (!a.IsFullyDefined() || !c.IsFullyDefined() || a.rank() != c.rank()) return false;
  for (int i = 0; i + 2 < a.rank(); ++i) {
    if (a.dim(i) != c.dim(i)) return false;
  }
  return true;
}

Grads BatchMatMulGrad(const B& b) {
  const bool ax = b.flag("adj_x");
  const bool ay = b.flag("adj_y");
  const Output x = b.x(0);
  const Output y = b.x(1);
  const Output& g = b.grad();
  const Output grad_x = ax ? BatchProduct(b, y, ay, g, true) : BatchProduct(b, g, false, y, !ay);
  const Output grad_y = ay ? BatchProduct(b, g, true, x, ax) : BatchProduct(b, x, !ax, g, false);
  if (HaveSameBatch(x, y)) return {grad_x, grad_y};
  const builder::Operation axes =
      b.Operation("BroadcastGradientArgs", {BatchShape(b, x), BatchShape(b, y)});
  return {b.Reshape(b.Sum(grad_x, axes.output(0)), b.Shape(x)),
          b.Reshape(b.Sum(grad_y, axes.output(1)), b.Shape(y))};
}

}  // namespace

void RegisterMatMulGradients(autodiff::GradientRegistry& registry) {
  AddGradient(registry, "MatMul", &MatMulGrad);
  for (const char* op : {"BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"}) {
    AddGradient(registry, op, &BatchMatMulGrad);
  }
}

}  // namespace rheo::ops
