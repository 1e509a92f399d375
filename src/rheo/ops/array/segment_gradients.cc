// Gradients of the segment reductions, sorted and unsorted.
#include "rheo/ops/array/array_gradients.h"
#include "rheo/ops/common/gradient_builder.h"

namespace rheo::ops {
namespace {

using B = GradientBuilder;
using Grads = std::vector<Output>;

// The first element of an integer vector.
Output First(const B& b, const Output& vector) {
  return b.Reshape(b.Op("Slice", {vector, b.Ints({0}), b.Ints({1})}), b.Ints({}));
}

// The op's segments: the elements `ids` name one of `count` rows; rows of negative ids are in none.
class Segments {
 public:
  explicit Segments(const B& b)
      : b_(b),
        ids_(b.x(1)),
        count_(b.num_inputs() > 2 ? b.x(2) : First(b, b.Shape(b.y()))),
        counts_(b.Op("GreaterEqual", {ids_, b.ZerosLike(ids_)})) {}

  // The row of `values` that each id names; zeros for negative ids.
  Output RowsOf(const Output& values) const {
    const Output known = b_.Op("Maximum", {ids_, b_.ZerosLike(ids_)});
    const Output rows = b_.Op("GatherV2", {values, known, b_.Int(0)});
    return b_.Select(InSome(rows), rows, b_.ZerosLike(rows));
  }
  // Which ids are not negative, with an axis of size 1 for each axis of a row.
  Output InSome(const Output& rows) const {
    const Output extra = b_.Sub(b_.Op("Rank", {rows}), b_.Op("Rank", {ids_}));
    const Output ones = b_.Op("Fill", {b_.Reshape(extra, b_.Ints({1})), b_.Int(1)});
    return b_.Reshape(counts_, b_.Op("ConcatV2", {b_.Shape(ids_), ones, b_.Int(0)}));
  }
  Output Sum(const Output& rows) const { return Reduce("UnsortedSegmentSum", rows); }
  Output Reduce(std::string_view op, const Output& rows) const {
    return b_.Op(op, {rows, ids_, count_});
  }
  // One entry for each input; only the data have a gradient.
  Grads OfData(const Output& grad) const {
    Grads grads(static_cast<size_t>(b_.num_inputs()));
    grads[0] = grad;
    return grads;
  }

 private:
  const B& b_;
  const Output ids_;
  const Output count_;
  const Output counts_;
};

Grads SumGrad(const B& b) {
  const Segments segments(b);
  return segments.OfData(segments.RowsOf(b.grad()));
}

Grads MeanGrad(const B& b) {
  const Segments segments(b);
  const Output ones = b.Op("OnesLike", {b.x()});
  return segments.OfData(segments.RowsOf(b.Div(b.grad(), segments.Sum(ones))));
}

// Those that are the extreme share the gradient.
Grads ExtremeGrad(const B& b) {
  const Segments segments(b);
  const Output extreme = segments.RowsOf(b.y());
  const Output selected =
      b.Op("LogicalAnd", {b.Op("Equal", {b.x(), extreme}), segments.InSome(extreme)});
  const Output number = segments.Sum(b.Cast(selected, b.grad().dtype()));
  const Output share = segments.RowsOf(b.Div(b.grad(), number));
  return segments.OfData(b.Select(selected, share, b.ZerosLike(share)));
}

// The product of the others: the whole product divided by x, and where x is the segment's only zero
// the product of those that are not zero.
Grads ProdGrad(const B& b) {
  const Segments segments(b);
  const Output is_zero = b.Op("Equal", {b.x(), b.ZerosLike(b.x())});
  const Output one = b.Op("OnesLike", {b.x()});
  const Output num_zeros = segments.Sum(b.Cast(is_zero, DType::kInt32));
  const Output grad =
      b.Select(b.Op("Greater", {num_zeros, b.Int(1)}), b.ZerosLike(b.grad()), b.grad());
  const Output safe_x = b.Select(is_zero, one, b.x());
  const Output of_others = segments.RowsOf(segments.Reduce("UnsortedSegmentProd", safe_x));
  const Output quotient = b.Div(segments.RowsOf(b.y()), safe_x);
  return segments.OfData(
      b.Mul(segments.RowsOf(grad), b.Conj(b.Select(is_zero, of_others, quotient))));
}

}  // namespace

void RegisterSegmentGradients(autodiff::GradientRegistry& registry) {
  for (const char* op : {"SegmentSum", "UnsortedSegmentSum"}) AddGradient(registry, op, &SumGrad);
  for (const char* op : {"SegmentProd", "UnsortedSegmentProd"}) {
    AddGradient(registry, op, &ProdGrad);
  }
  for (const char* op : {"SegmentMin", "SegmentMax", "UnsortedSegmentMin", "UnsortedSegmentMax"}) {
    AddGradient(registry, op, &ExtremeGrad);
  }
  AddGradient(registry, "SegmentMean", &MeanGrad);
}

}  // namespace rheo::ops
