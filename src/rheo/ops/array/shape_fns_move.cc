#include "rheo/ops/array/shape_fns.h"
#include "rheo/ops/array/strided_slice_spec.h"
#include "rheo/ops/common/integers.h"
#include "rheo/ops/common/shape_tools.h"

namespace rheo::ops {

using op::ShapeContext;

namespace {

// Inputs [first, last) side by side along the axis in input `axis_input`.
Status SetConcatShape(ShapeContext& c, int first, int last, int axis_input) {
  const std::optional<int64_t> axis_value = ConstantInteger(c, axis_input);
  PartialShape shape;
  for (int i = first; i < last; ++i) {
    if (!shape.has_rank() && c.input(i).has_rank()) shape = PartialShape::OfRank(c.input(i).rank());
  }
  if (!shape.has_rank()) return OkStatus();
  if (!axis_value.has_value()) {
    c.set_output(0, std::move(shape));
    return OkStatus();
  }
  RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(*axis_value, shape.rank()));
  int64_t size = 0;
  for (int i = first; i < last; ++i) {
    PartialShape part = c.input(i);
    size = AddDims(size, part.has_rank() && axis < part.rank() ? part.dim(axis) : kUnknownDim);
    if (part.has_rank() && axis < part.rank()) part.set_dim(axis, kUnknownDim);
    RHEO_ASSIGN_OR_RETURN(shape, shape.Merge(part));
  }
  shape.set_dim(axis, size);
  c.set_output(0, std::move(shape));
  return OkStatus();
}

// All inputs merged.
StatusOr<PartialShape> MergedInputs(const ShapeContext& c) {
  PartialShape shape;
  for (const PartialShape& input : c.inputs()) {
    RHEO_ASSIGN_OR_RETURN(shape, shape.Merge(input));
  }
  return shape;
}

PartialShape WithoutDim(const PartialShape& shape, int axis) {
  return ConcatShapes(SubShape(shape, 0, axis), SubShape(shape, axis + 1, shape.rank()));
}

PartialShape WithDim(const PartialShape& shape, int axis, int64_t size) {
  return ConcatShapes(ConcatShapes(SubShape(shape, 0, axis), PartialShape{size}),
                      SubShape(shape, axis, shape.rank()));
}

}  // namespace

Status ConcatShape(ShapeContext& c) { return SetConcatShape(c, 1, c.num_inputs(), 0); }

Status ConcatV2Shape(ShapeContext& c) {
  return SetConcatShape(c, 0, c.num_inputs() - 1, c.num_inputs() - 1);
}

Status ConcatOffsetShape(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, c.input(i + 1));
  return OkStatus();
}

Status PackShape(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(const PartialShape shape, MergedInputs(c));
  if (!shape.has_rank()) return OkStatus();
  RHEO_ASSIGN_OR_RETURN(const int64_t axis_attr, c.attrs().Get<int64_t>("axis"));
  RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(axis_attr, shape.rank() + 1));
  c.set_output(0, WithDim(shape, axis, c.num_inputs()));
  return OkStatus();
}

Status UnpackShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  if (!in.has_rank()) return OkStatus();
  RHEO_ASSIGN_OR_RETURN(const int64_t axis_attr, c.attrs().Get<int64_t>("axis"));
  RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(axis_attr, in.rank()));
  if (in.dim(axis) != kUnknownDim && in.dim(axis) != c.num_outputs()) {
    return InvalidArgument("axis {} of shape {} must have size {}", axis, in.ToString(),
                           c.num_outputs());
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, WithoutDim(in, axis));
  return OkStatus();
}

Status SplitShape(ShapeContext& c) {
  PartialShape shape = c.input(1);
  if (!shape.has_rank()) return OkStatus();
  const std::optional<int64_t> dim = ConstantInteger(c, 0);
  if (!dim.has_value()) {
    shape = PartialShape::OfRank(shape.rank());
  } else {
    RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(*dim, shape.rank()));
    const int64_t size = shape.dim(axis);
    if (size != kUnknownDim && size % c.num_outputs() != 0) {
      return InvalidArgument(
          "Number of ways to split should evenly divide the split dimension: {} "
          "into {}",
          size, c.num_outputs());
    }
    if (size != kUnknownDim) shape.set_dim(axis, size / c.num_outputs());
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shape);
  return OkStatus();
}

Status SplitVShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  if (!in.has_rank()) return OkStatus();
  const std::optional<int64_t> dim = ConstantInteger(c, 2);
  const std::optional<Dims> sizes = ConstantIntegers(c, 1);
  for (int i = 0; i < c.num_outputs(); ++i) {
    PartialShape shape = PartialShape::OfRank(in.rank());
    if (dim.has_value()) {
      RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(*dim, in.rank()));
      shape = in;
      // A size of -1 stays unknown.
      const bool known = sizes.has_value() && sizes->size() > static_cast<size_t>(i);
      shape.set_dim(axis, known ? (*sizes)[static_cast<size_t>(i)] : kUnknownDim);
    }
    c.set_output(i, std::move(shape));
  }
  return OkStatus();
}

Status TransposeShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  const std::optional<Dims> perm = ConstantIntegers(c, 1);
  const PartialShape& perm_shape = c.input(1);
  int rank = in.rank();
  if (rank < 0 && perm_shape.rank() == 1 && perm_shape.dim(0) != kUnknownDim) {
    rank = static_cast<int>(perm_shape.dim(0));
  }
  if (rank < 0) return OkStatus();
  PartialShape shape = PartialShape::OfRank(rank);
  if (perm.has_value() && in.has_rank()) {
    if (static_cast<int>(perm->size()) != rank) {
      return InvalidArgument("perm has {} elements, but the input has rank {}", perm->size(), rank);
    }
    for (int i = 0; i < rank; ++i) {
      RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis((*perm)[static_cast<size_t>(i)], rank));
      shape.set_dim(i, in.dim(axis));
    }
  }
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status SliceShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  const std::optional<Dims> begin = ConstantIntegers(c, 1);
  const std::optional<Dims> size = ConstantIntegers(c, 2);
  int rank = in.rank();
  if (rank < 0 && size.has_value()) rank = static_cast<int>(size->size());
  if (rank < 0) return OkStatus();
  PartialShape shape = PartialShape::OfRank(rank);
  if (size.has_value()) {
    if (static_cast<int>(size->size()) != rank ||
        (begin.has_value() && begin->size() != size->size())) {
      return InvalidArgument("begin and size must have {} elements", rank);
    }
    for (int i = 0; i < rank; ++i) {
      const auto at = static_cast<size_t>(i);
      if ((*size)[at] >= 0) {
        shape.set_dim(i, (*size)[at]);
      } else if (begin.has_value() && in.has_rank() && in.dim(i) != kUnknownDim) {
        shape.set_dim(i, in.dim(i) - (*begin)[at]);
      }
    }
  }
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status StridedSliceShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  const PartialShape& begin = c.input(1);
  if (!in.has_rank() || begin.rank() != 1 || begin.dim(0) == kUnknownDim) return OkStatus();
  RHEO_ASSIGN_OR_RETURN(const SliceMasks masks, ReadSliceMasks(c.attrs()));
  const SliceBounds bounds{.length = static_cast<int>(begin.dim(0)),
                           .begin = ConstantIntegers(c, 1),
                           .end = ConstantIntegers(c, 2),
                           .strides = ConstantIntegers(c, 3)};
  RHEO_ASSIGN_OR_RETURN(StridedSliceSpec spec, ResolveStridedSlice(in, bounds, masks));
  c.set_output(0, std::move(spec.shape));
  return OkStatus();
}

Status TileShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  const std::optional<Dims> multiples = ConstantIntegers(c, 1);
  int rank = in.rank();
  if (rank < 0 && multiples.has_value()) rank = static_cast<int>(multiples->size());
  if (rank < 0) return OkStatus();
  PartialShape shape = PartialShape::OfRank(rank);
  if (multiples.has_value() && in.has_rank()) {
    if (static_cast<int>(multiples->size()) != rank) {
      return InvalidArgument("multiples has {} elements, but the input has rank {}",
                             multiples->size(), rank);
    }
    for (int i = 0; i < rank; ++i) {
      shape.set_dim(i, MultiplyDims(in.dim(i), (*multiples)[static_cast<size_t>(i)]));
    }
  }
  c.set_output(0, std::move(shape));
  return OkStatus();
}

namespace {

// Dims of input 0 plus (sign 1) or minus (sign -1) the paddings of input 1.
Status SetPaddedShape(ShapeContext& c, int64_t sign) {
  const PartialShape& in = c.input(0);
  const PartialShape& paddings_shape = c.input(1);
  int rank = in.rank();
  if (rank < 0 && paddings_shape.rank() == 2 && paddings_shape.dim(0) != kUnknownDim) {
    rank = static_cast<int>(paddings_shape.dim(0));
  }
  if (rank < 0) return OkStatus();
  PartialShape shape = PartialShape::OfRank(rank);
  const std::optional<Dims> paddings = ConstantIntegers(c, 1);
  if (paddings.has_value() && in.has_rank()) {
    if (static_cast<int>(paddings->size()) != 2 * rank) {
      return InvalidArgument("paddings must have {} rows of two", rank);
    }
    for (int i = 0; i < rank; ++i) {
      const auto at = 2 * static_cast<size_t>(i);
      if (in.dim(i) == kUnknownDim) continue;
      shape.set_dim(i, in.dim(i) + sign * ((*paddings)[at] + (*paddings)[at + 1]));
    }
  }
  c.set_output(0, std::move(shape));
  return OkStatus();
}

}  // namespace

Status PadShape(ShapeContext& c) { return SetPaddedShape(c, 1); }
Status MirrorPadGradShape(ShapeContext& c) { return SetPaddedShape(c, -1); }

Status GatherShape(ShapeContext& c) {
  const PartialShape& params = c.input(0);
  if (!params.has_rank()) return OkStatus();
  if (params.rank() < 1) return InvalidArgument("params must be at least 1 dimensional");
  c.set_output(0, ConcatShapes(c.input(1), SubShape(params, 1, params.rank())));
  return OkStatus();
}

Status GatherV2Shape(ShapeContext& c) {
  const PartialShape& params = c.input(0);
  const PartialShape& indices = c.input(1);
  const std::optional<int64_t> axis_value = ConstantInteger(c, 2);
  if (!params.has_rank() || !indices.has_rank() || !axis_value.has_value()) return OkStatus();
  RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(*axis_value, params.rank()));
  RHEO_ASSIGN_OR_RETURN(int64_t batch_dims, c.attrs().Get<int64_t>("batch_dims"));
  if (batch_dims < 0) batch_dims += indices.rank();
  if (batch_dims < 0 || batch_dims > indices.rank() || batch_dims > axis) {
    return InvalidArgument("batch_dims {} is out of range", batch_dims);
  }
  const PartialShape picked = SubShape(indices, static_cast<int>(batch_dims), indices.rank());
  c.set_output(0, ConcatShapes(ConcatShapes(SubShape(params, 0, axis), picked),
                               SubShape(params, axis + 1, params.rank())));
  return OkStatus();
}

Status GatherNdShape(ShapeContext& c) {
  const PartialShape& params = c.input(0);
  const PartialShape& indices = c.input(1);
  if (!params.has_rank() || indices.rank() < 1) return OkStatus();
  const int last = indices.rank() - 1;
  if (indices.dim(last) == kUnknownDim) return OkStatus();
  if (indices.dim(last) > params.rank()) {
    return InvalidArgument(
        "indices.shape[-1] must be <= params.rank, but saw indices shape: {} and "
        "params shape: {}",
        indices.ToString(), params.ToString());
  }
  c.set_output(0,
               ConcatShapes(SubShape(indices, 0, last),
                            SubShape(params, static_cast<int>(indices.dim(last)), params.rank())));
  return OkStatus();
}

Status SegmentShape(ShapeContext& c) {
  const PartialShape& data = c.input(0);
  RHEO_RETURN_IF_ERROR(c.RequireRank(1, 1));
  if (data.rank() < 1) return OkStatus();
  c.set_output(0, ConcatShapes(PartialShape{kUnknownDim}, SubShape(data, 1, data.rank())));
  return OkStatus();
}

Status UnsortedSegmentShape(ShapeContext& c) {
  const PartialShape& data = c.input(0);
  const PartialShape& ids = c.input(1);
  if (!data.has_rank() || !ids.has_rank() || ids.rank() > data.rank()) return OkStatus();
  const int64_t num_segments = ConstantInteger(c, 2).value_or(kUnknownDim);
  c.set_output(0,
               ConcatShapes(PartialShape{num_segments}, SubShape(data, ids.rank(), data.rank())));
  return OkStatus();
}

Status DynamicPartitionShape(ShapeContext& c) {
  const PartialShape& data = c.input(0);
  const PartialShape& partitions = c.input(1);
  if (!data.has_rank() || !partitions.has_rank() || partitions.rank() > data.rank()) {
    return OkStatus();
  }
  const PartialShape shape =
      ConcatShapes(PartialShape{kUnknownDim}, SubShape(data, partitions.rank(), data.rank()));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shape);
  return OkStatus();
}

Status DynamicStitchShape(ShapeContext& c) {
  const int n = c.num_inputs() / 2;
  PartialShape row;
  int64_t size = 0;
  for (int i = 0; i < n; ++i) {
    const std::optional<Dims> indices = ConstantIntegers(c, i);
    if (!indices.has_value()) size = kUnknownDim;
    for (const int64_t index : indices.value_or(Dims())) {
      if (size != kUnknownDim) size = std::max(size, index + 1);
    }
    const PartialShape& data = c.input(n + i);
    const PartialShape& index_shape = c.input(i);
    if (!data.has_rank() || !index_shape.has_rank()) continue;
    if (index_shape.rank() > data.rank()) {
      return InvalidArgument("data[{}] has a lower rank than indices[{}]", i, i);
    }
    RHEO_ASSIGN_OR_RETURN(row, row.Merge(SubShape(data, index_shape.rank(), data.rank())));
  }
  c.set_output(0, ConcatShapes(PartialShape{size}, row));
  return OkStatus();
}

}  // namespace rheo::ops
