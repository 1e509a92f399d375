// Gradients of reductions. The incoming gradient gets the reduced axes back as 1, then spreads.
#include <algorithm>

#include "rheo/ops/common/gradient_builder.h"
#include "rheo/ops/math/gradients.h"

namespace rheo::ops {
namespace {

using Grads = std::vector<Output>;
using B = GradientBuilder;

// The shape of the input with 1 on the reduced axes, when the axes are known: shape · mask +
// (1 - mask).
Output KeptShapeOfKnownAxes(const B& b, const std::vector<int64_t>& axes, int rank) {
  std::vector<int32_t> mask(static_cast<size_t>(rank), 1);
  std::vector<int32_t> ones(static_cast<size_t>(rank), 0);
  for (const int64_t axis : axes) {
    const int64_t i = axis < 0 ? axis + rank : axis;
    mask[static_cast<size_t>(i)] = 0;
    ones[static_cast<size_t>(i)] = 1;
  }
  return b.Add(b.Mul(b.Shape(b.x(0)), b.Ints(mask)), b.Ints(ones));
}

// The same when they are not: ones are stitched into the shape at the axes.
Output KeptShape(const B& b) {
  const PartialShape shape = b.x(0).shape();
  const auto axes = b.ConstantInts(b.x(1));
  if (shape.has_rank() && axes.has_value()) return KeptShapeOfKnownAxes(b, *axes, shape.rank());
  const Output rank = b.Op("Rank", {b.x(0)});
  Output index = b.Cast(b.x(1), DType::kInt32);
  index = b.Op("FloorMod", {b.Add(index, rank), rank});
  const Output all = b.Op("Range", {b.Int(0), rank, b.Int(1)});
  const Output ones = b.Op("Fill", {b.Shape(index), b.Int(1)});
  return b.Op("DynamicStitch", {all, index, b.Shape(b.x(0)), ones}, {{"N", int64_t{2}}});
}

// `value`, of the output's shape, as large as the input with 1 on the reduced axes.
Output WithAxes(const B& b, const Output& value) {
  return b.flag("keep_dims") ? value : b.Reshape(value, KeptShape(b));
}

Output Spread(const B& b, const Output& value) {
  return b.Op("BroadcastTo", {WithAxes(b, value), b.Shape(b.x(0))});
}

Grads SumGrad(const B& b) { return {Spread(b, b.grad()), Output()}; }

// The number of elements that made each output.
Output ReducedCount(const B& b) {
  const Output in = b.Op("Size", {b.x(0)});
  const Output out = b.Op("Maximum", {b.Op("Size", {b.y()}), b.Int(1)});
  return b.Cast(b.Op("FloorDiv", {in, out}), b.grad().dtype());
}

Grads MeanGrad(const B& b) { return {b.Div(Spread(b, b.grad()), ReducedCount(b)), Output()}; }

// The gradient is shared evenly by the elements that equal the extreme.
Grads ExtremeGrad(const B& b) {
  const DType dtype = b.grad().dtype();
  const Output equal = b.Cast(b.Op("Equal", {b.x(0), WithAxes(b, b.y())}), dtype);
  const Output count = b.Op("Sum", {equal, b.x(1)}, {{"keep_dims", true}});
  return {b.Mul(b.Div(equal, count), WithAxes(b, b.grad())), Output()};
}

Grads NormGrad(const B& b) {
  const Output ratio = b.Op("DivNoNan", {WithAxes(b, b.grad()), WithAxes(b, b.y())});
  return {b.Mul(b.x(0), ratio), Output()};
}

// The axes' positions from 0 on, and those of the other axes.
struct AxisSplit {
  Output reduced;
  Output kept;
};

AxisSplit SplitAxes(const B& b) {
  const PartialShape shape = b.x(0).shape();
  const auto axes = b.ConstantInts(b.x(1));
  if (!shape.has_rank() || !axes.has_value()) {
    const Output rank = b.Op("Rank", {b.x(0)});
    const Output given = b.Op("Reshape", {b.Cast(b.x(1), DType::kInt32), b.Ints({-1})});
    const Output reduced = b.Op("FloorMod", {b.Add(given, rank), rank});
    const Output all = b.Op("Range", {b.Int(0), rank, b.Int(1)});
    return {reduced, b.Op("ListDiff", {all, reduced})};
  }
  std::vector<int32_t> reduced;
  std::vector<int32_t> kept;
  for (const int64_t axis : *axes) {
    reduced.push_back(static_cast<int32_t>(axis < 0 ? axis + shape.rank() : axis));
  }
  for (int32_t i = 0; i < shape.rank(); ++i) {
    if (std::find(reduced.begin(), reduced.end(), i) == reduced.end()) kept.push_back(i);
  }
  return {b.Ints(reduced), b.Ints(kept)};
}

Output ProductAtAxes(const B& b, const Output& axes) {
  const Output dims = b.Op("GatherV2", {b.Shape(b.x(0)), axes, b.Int(0)});
  return b.Op("Prod", {dims, b.Int(0)}, {{"keep_dims", true}});
}

// Each element's slope is the product of all others: those before it times those after it, found by
// running products along one axis into which the reduced ones are gathered. Exact where elements
// are 0.
Grads ProdGrad(const B& b) {
  const AxisSplit axes = SplitAxes(b);
  const Output order = b.Op("ConcatV2", {axes.reduced, axes.kept, b.Int(0)}, {{"N", 2}});
  const Output moved = b.Op("Transpose", {b.x(0), order});
  const Output matrix_shape =
      b.Op("ConcatV2", {ProductAtAxes(b, axes.reduced), ProductAtAxes(b, axes.kept), b.Int(0)},
           {{"N", 2}});
  const Output matrix = b.Reshape(moved, matrix_shape);
  const Output before = b.Op("Cumprod", {matrix, b.Int(0)}, {{"exclusive", true}});
  const Output after =
      b.Op("Cumprod", {matrix, b.Int(0)}, {{"exclusive", true}, {"reverse", true}});
  const Output slope = b.Reshape(b.Conj(b.Mul(before, after)), b.Shape(moved));
  const Output back = b.Op("Transpose", {slope, b.Op("InvertPermutation", {order})});
  return {b.Mul(back, Spread(b, b.grad())), Output()};
}

Output Scan(const B& b, std::string_view op, const Output& x, bool reverse) {
  return b.Op(op, {x, b.x(1)}, {{"exclusive", b.flag("exclusive")}, {"reverse", reverse}});
}

Grads CumsumGrad(const B& b) { return {Scan(b, "Cumsum", b.grad(), !b.flag("reverse")), Output()}; }

// Σ of the gradients of the products that hold x, divided by x; 0 where x is 0.
Grads CumprodGrad(const B& b) {
  const Output sums = Scan(b, "Cumsum", b.Mul(b.y(), b.grad()), !b.flag("reverse"));
  return {b.Op("DivNoNan", {sums, b.x(0)}), Output()};
}

}  // namespace

void RegisterReductionGradients(autodiff::GradientRegistry& registry) {
  AddGradient(registry, "Sum", &SumGrad);
  AddGradient(registry, "Mean", &MeanGrad);
  AddGradient(registry, "Max", &ExtremeGrad);
  AddGradient(registry, "Min", &ExtremeGrad);
  AddGradient(registry, "Prod", &ProdGrad);
  AddGradient(registry, "Cumsum", &CumsumGrad);
  AddGradient(registry, "Cumprod", &CumprodGrad);
  AddGradient(registry, "EuclideanNorm", &NormGrad);
  AddGradient(registry, "BroadcastTo", [](const B& b) -> Grads {
    const builder::Operation axes =
        b.Operation("BroadcastGradientArgs", {b.Shape(b.y()), b.Shape(b.x(0))});
    return {b.Reshape(b.Sum(b.grad(), axes.output(1)), b.Shape(b.x(0))), Output()};
  });
}

}  // namespace rheo::ops
