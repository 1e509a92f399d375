#include "rheo/ops/array/range_size.h"
#include "rheo/ops/array/shape_fns.h"
#include "rheo/ops/common/integers.h"
#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/shape_tools.h"

namespace rheo::ops {

using op::ShapeContext;

Status ConstShape(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(const Tensor value, c.attrs().Get<Tensor>("value"));
  c.set_output(0, PartialShape(value.shape()));
  return OkStatus();
}

Status ShapeAttrShape(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, c.attrs().Get<PartialShape>("shape"));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status AllUnchangedShapes(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, c.input(i));
  return OkStatus();
}

Status EnsureShapeShape(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(const PartialShape expected, c.attrs().Get<PartialShape>("shape"));
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, c.input(0).Merge(expected));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status BitcastOutputShape(ShapeContext& c) {
  const auto in = static_cast<int64_t>(DTypeSize(RemoveRef(c.types().inputs[0])));
  const auto out = static_cast<int64_t>(DTypeSize(c.types().outputs[0]));
  PartialShape shape = c.input(0);
  if (!shape.has_rank()) return OkStatus();
  if (in > out) {
    shape.AddDim(in / out);
  } else if (in < out) {
    const int last = shape.rank() - 1;
    if (last < 0) return InvalidArgument("a scalar is too small to be read as {} bytes", out);
    if (shape.dim(last) != kUnknownDim && shape.dim(last) != out / in) {
      return InvalidArgument("the last dimension of shape {} must be {}", shape.ToString(),
                             out / in);
    }
    shape = SubShape(shape, 0, last);
  }
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status ShapeNShape(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, PartialShape{c.input(i).has_rank() ? int64_t{c.input(i).rank()} : kUnknownDim});
  }
  return OkStatus();
}

Status ReshapeShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(1));
  if (c.constant(1) == nullptr || !in.IsFullyDefined()) {
    c.set_output(0, std::move(shape));
    return OkStatus();
  }
  const int64_t num_elements = in.ToShape().num_elements();
  int64_t known = 1;
  int unknown = -1;
  int num_unknown = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i) == kUnknownDim) {
      unknown = i;
      ++num_unknown;
    } else {
      known = MultiplyDims(known, shape.dim(i));
    }
  }
  if (num_unknown > 1) return InvalidArgument("only one size of a new shape may be -1");
  const bool fits = num_unknown == 0 ? known == num_elements
                    : known != 0     ? num_elements % known == 0
                                     : num_elements == 0;
  if (!fits) {
    return InvalidArgument("Cannot reshape a tensor with {} elements to shape {} ({} elements)",
                           num_elements, shape.ToString(), known);
  }
  if (num_unknown == 1 && known != 0) shape.set_dim(unknown, num_elements / known);
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status ExpandDimsShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  if (!in.has_rank()) return OkStatus();
  const std::optional<int64_t> dim = ConstantInteger(c, 1);
  if (!dim.has_value()) {
    c.set_output(0, PartialShape::OfRank(in.rank() + 1));
    return OkStatus();
  }
  RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(*dim, in.rank() + 1));
  c.set_output(0, ConcatShapes(ConcatShapes(SubShape(in, 0, axis), PartialShape{1}),
                               SubShape(in, axis, in.rank())));
  return OkStatus();
}

Status SqueezeShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  if (!in.has_rank()) return OkStatus();
  RHEO_ASSIGN_OR_RETURN(const auto squeeze_dims,
                        c.attrs().Get<std::vector<int64_t>>("squeeze_dims"));
  std::vector<bool> removed(static_cast<size_t>(in.rank()), false);
  for (const int64_t dim : squeeze_dims) {
    RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(dim, in.rank()));
    if (in.dim(axis) != 1 && in.dim(axis) != kUnknownDim) {
      return InvalidArgument("Can not squeeze dim[{}], expected a dimension of 1, got {}", axis,
                             in.dim(axis));
    }
    removed[static_cast<size_t>(axis)] = true;
  }
  PartialShape shape = PartialShape::OfRank(0);
  for (int i = 0; i < in.rank(); ++i) {
    if (squeeze_dims.empty() && in.dim(i) == kUnknownDim) return OkStatus();
    const bool remove = squeeze_dims.empty() ? in.dim(i) == 1 : removed[static_cast<size_t>(i)];
    if (!remove) shape.AddDim(in.dim(i));
  }
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status ShapeFromInput0(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(0));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status ShapeFromInput2(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(2));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status RangeShape(ShapeContext& c) {
  c.set_output(0, PartialShape::OfRank(1));
  for (int i = 0; i < 3; ++i) {
    RHEO_RETURN_IF_ERROR(c.RequireRank(i, 0));
    if (c.constant(i) == nullptr) return OkStatus();
  }
  using RangeTypes = TypeList<float, double, Half, Bfloat16, int32_t, int64_t>;
  StatusOr<int64_t> size = kUnknownDim;
  internal::CallForDType(RangeTypes{}, c.constant(0)->dtype(), [&]<typename T>() {
    size = RangeSize(c.constant(0)->scalar<T>(), c.constant(1)->scalar<T>(),
                     c.constant(2)->scalar<T>());
  });
  RHEO_RETURN_IF_ERROR(size.status());
  c.set_output(0, PartialShape{*size});
  return OkStatus();
}

Status LinSpaceShape(ShapeContext& c) {
  const std::optional<int64_t> num = ConstantInteger(c, 2);
  if (num.has_value() && *num <= 0) return InvalidArgument("Requires num > 0: {}", *num);
  c.set_output(0, PartialShape{num.value_or(kUnknownDim)});
  return OkStatus();
}

Status OneHotShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  if (!in.has_rank()) return OkStatus();
  RHEO_ASSIGN_OR_RETURN(const int64_t axis_attr, c.attrs().Get<int64_t>("axis"));
  RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(axis_attr, in.rank() + 1));
  const int64_t depth = ConstantInteger(c, 1).value_or(kUnknownDim);
  c.set_output(0, ConcatShapes(ConcatShapes(SubShape(in, 0, axis), PartialShape{depth}),
                               SubShape(in, axis, in.rank())));
  return OkStatus();
}

Status DiagShape(ShapeContext& c) {
  c.set_output(0, ConcatShapes(c.input(0), c.input(0)));
  return OkStatus();
}

Status DiagPartShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  if (!in.has_rank()) return OkStatus();
  if (in.rank() % 2 != 0) {
    return InvalidArgument("Input must have even rank, input rank is {}", in.rank());
  }
  const int half = in.rank() / 2;
  RHEO_ASSIGN_OR_RETURN(PartialShape shape,
                        SubShape(in, 0, half).Merge(SubShape(in, half, in.rank())));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status WhereShape(ShapeContext& c) {
  const int rank = c.input(0).rank();
  c.set_output(0, PartialShape{kUnknownDim, rank < 0 ? kUnknownDim : rank});
  return OkStatus();
}

namespace {

void SetCountShape(ShapeContext& c, const PartialShape& y) {
  if (c.num_outputs() > 2) c.set_output(2, y);
}

}  // namespace

Status UniqueShape(ShapeContext& c) {
  RHEO_RETURN_IF_ERROR(c.RequireRank(0, 1));
  c.set_output(0, PartialShape::OfRank(1));
  c.set_output(1, c.input(0).has_rank() ? c.input(0) : PartialShape::OfRank(1));
  SetCountShape(c, PartialShape::OfRank(1));
  return OkStatus();
}

Status UniqueV2Shape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  c.set_output(1, PartialShape::OfRank(1));
  SetCountShape(c, PartialShape::OfRank(1));
  const std::optional<Dims> axes = ConstantIntegers(c, 1);
  if (!in.has_rank() || !axes.has_value() || axes->size() > 1) return OkStatus();
  if (axes->empty()) return UniqueShape(c);
  RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis((*axes)[0], in.rank()));
  PartialShape y = in;
  y.set_dim(axis, kUnknownDim);
  c.set_output(0, std::move(y));
  c.set_output(1, PartialShape{in.dim(axis)});
  return OkStatus();
}

Status ListDiffShape(ShapeContext& c) {
  RHEO_RETURN_IF_ERROR(c.RequireRank(0, 1));
  RHEO_RETURN_IF_ERROR(c.RequireRank(1, 1));
  c.set_output(0, PartialShape::OfRank(1));
  c.set_output(1, PartialShape::OfRank(1));
  return OkStatus();
}

}  // namespace rheo::ops
