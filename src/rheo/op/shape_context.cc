#include "rheo/op/shape_context.h"

#include <algorithm>

namespace rheo::op {
namespace {

std::vector<int64_t> IntsOf(const Tensor& tensor) {
  if (tensor.dtype() == DType::kInt64) {
    const auto values = tensor.flat<int64_t>();
    return {values.begin(), values.end()};
  }
  const auto values = tensor.flat<int32_t>();
  return {values.begin(), values.end()};
}

// One dim of a broadcast result, or nullopt when a and b do not fit.
std::optional<int64_t> BroadcastDim(int64_t a, int64_t b) {
  if (a == 1) return b;
  if (b == 1) return a;
  if (a == kUnknownDim) return b;  // whatever a is, it must become b
  if (b == kUnknownDim || a == b) return a;
  return std::nullopt;
}

}  // namespace

Status ShapeContext::RequireRank(int input, int rank) const {
  const PartialShape& shape = this->input(input);
  if (!shape.has_rank() || shape.rank() == rank) return OkStatus();
  return InvalidArgument("input {} has rank {}, must be {}", input, shape.rank(), rank);
}

StatusOr<PartialShape> ShapeContext::ShapeFromInput(int input) const {
  const Tensor* value = constant(input);
  if (value == nullptr) {
    const PartialShape& shape = this->input(input);
    if (shape.has_rank() && shape.rank() > 1) {
      return InvalidArgument("input {} has rank {}, must be a vector to be a shape", input,
                             shape.rank());
    }
    const bool known = shape.rank() == 1 && shape.dim(0) != kUnknownDim;
    return known && shape.dim(0) <= kMaxRank ? PartialShape::OfRank(static_cast<int>(shape.dim(0)))
                                             : PartialShape();
  }
  if (value->dtype() != DType::kInt32 && value->dtype() != DType::kInt64) {
    return InvalidArgument("input {} is {}, must be int32 or int64 to be a shape", input,
                           DTypeName(value->dtype()));
  }
  const std::vector<int64_t> dims = IntsOf(*value);
  // A scalar -1 means that not even the rank is known.
  if (value->rank() == 0 && dims[0] == kUnknownDim) return PartialShape();
  if (value->rank() != 1) {
    return InvalidArgument("input {} has rank {}, must be a vector to be a shape", input,
                           value->rank());
  }
  if (dims.size() > kMaxRank) {
    return InvalidArgument("input {} asks for {} dimensions; the limit is {}", input, dims.size(),
                           kMaxRank);
  }
  for (const int64_t dim : dims) {
    if (dim < kUnknownDim) return InvalidArgument("input {} has the dimension {}", input, dim);
  }
  return PartialShape(std::span<const int64_t>(dims));
}

StatusOr<PartialShape> ShapeContext::Broadcast(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank() || !b.has_rank()) return PartialShape();
  const int rank = std::max(a.rank(), b.rank());
  PartialShape result = PartialShape::OfRank(rank);
  for (int i = 1; i <= rank; ++i) {  // from the last dim on
    const int64_t dim_a = i <= a.rank() ? a.dim(a.rank() - i) : 1;
    const int64_t dim_b = i <= b.rank() ? b.dim(b.rank() - i) : 1;
    const std::optional<int64_t> dim = BroadcastDim(dim_a, dim_b);
    if (!dim) {
      return InvalidArgument("shapes {} and {} cannot be broadcast together", a.ToString(),
                             b.ToString());
    }
    result.set_dim(rank - i, *dim);
  }
  return result;
}

Status UnchangedShape(ShapeContext& c) {
  c.set_output(0, c.input(0));
  return OkStatus();
}

Status ScalarShape(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, Shape{});
  return OkStatus();
}

Status BroadcastBinaryShape(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, ShapeContext::Broadcast(c.input(0), c.input(1)));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status NoOutputs(ShapeContext&) { return OkStatus(); }

Status UnknownShape(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, PartialShape());
  return OkStatus();
}

}  // namespace rheo::op
