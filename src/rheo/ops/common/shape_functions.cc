#include "rheo/ops/common/shape_functions.h"

namespace rheo::ops {
namespace {

template <typename T>
std::vector<int64_t> IntsOf(const Tensor& t) {
  const std::span<const T> values = t.flat<T>();
  return {values.begin(), values.end()};
}

// The reduced shape when the axes are known.
StatusOr<PartialShape> Reduced(const PartialShape& input, const std::vector<int64_t>& axes,
                               bool keep_dims) {
  std::vector<bool> reduced(static_cast<size_t>(input.rank()), false);
  for (const int64_t axis : axes) {
    const int64_t index = axis < 0 ? axis + input.rank() : axis;
    if (index < 0 || index >= input.rank()) {
      return InvalidArgument("Invalid reduction dimension {} for input with {} dimensions", axis,
                             input.rank());
    }
    reduced[static_cast<size_t>(index)] = true;
  }
  PartialShape output = PartialShape::OfRank(0);
  for (int i = 0; i < input.rank(); ++i) {
    if (!reduced[static_cast<size_t>(i)]) {
      output.AddDim(input.dim(i));
    } else if (keep_dims) {
      output.AddDim(1);
    }
  }
  return output;
}

}  // namespace

Status SetShapeFns(op::OpRegistry& registry, std::initializer_list<std::string_view> ops,
                   const op::ShapeFn& fn) {
  for (const std::string_view name : ops) RHEO_RETURN_IF_ERROR(registry.SetShapeFn(name, fn));
  return OkStatus();
}

Status MergedShape(op::ShapeContext& c) {
  PartialShape merged;
  for (const PartialShape& shape : c.inputs()) {
    RHEO_ASSIGN_OR_RETURN(merged, merged.Merge(shape));
  }
  c.set_output(0, std::move(merged));
  return OkStatus();
}

Status ReductionShape(op::ShapeContext& c) {
  const bool keep_dims = c.attrs().GetOr("keep_dims", false);
  const PartialShape& input = c.input(0);
  if (!input.has_rank()) return op::UnknownShape(c);
  const std::optional<std::vector<int64_t>> axes = ConstantInts(c, 1);
  if (!axes.has_value()) {
    c.set_output(0, keep_dims ? PartialShape::OfRank(input.rank()) : PartialShape());
    return OkStatus();
  }
  RHEO_ASSIGN_OR_RETURN(PartialShape output, Reduced(input, *axes, keep_dims));
  c.set_output(0, std::move(output));
  return OkStatus();
}

std::optional<std::vector<int64_t>> ConstantInts(const op::ShapeContext& c, int input) {
  const Tensor* value = c.constant(input);
  if (value == nullptr) return std::nullopt;
  switch (value->dtype()) {
    case DType::kInt16:
      return IntsOf<int16_t>(*value);
    case DType::kInt32:
      return IntsOf<int32_t>(*value);
    case DType::kInt64:
      return IntsOf<int64_t>(*value);
    default:
      return std::nullopt;
  }
}

Status RequireRankAtLeast(const op::ShapeContext& c, int input, int rank) {
  const PartialShape& shape = c.input(input);
  if (!shape.has_rank() || shape.rank() >= rank) return OkStatus();
  return InvalidArgument("input {} has rank {}, must be at least {}", input, shape.rank(), rank);
}

StatusOr<int64_t> MergeDims(int64_t a, int64_t b) {
  if (a == kUnknownDim) return b;
  if (b == kUnknownDim || a == b) return a;
  return InvalidArgument("dimensions must be equal, but are {} and {}", a, b);
}

int64_t DimOf(const PartialShape& shape, int i) {
  if (!shape.has_rank()) return kUnknownDim;
  return shape.dim(i < 0 ? i + shape.rank() : i);
}

}  // namespace rheo::ops
