#include "rheo/ops/array/strided_slice_spec.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace rheo::ops {
namespace {

// What is taken of one input axis, as the caller wrote it.
struct AxisRange {
  int position = -1;  // in begin, end and strides; -1: all of the axis
  bool begin_masked = true;
  bool end_masked = true;
  bool shrink = false;
};

// The output's axes: an input axis, or a new one.
constexpr int kNewAxis = -1;

struct DenseSpec {
  std::vector<AxisRange> axes;   // of the input
  std::vector<int> output_axes;  // in order
};

bool Bit(uint64_t mask, int i) { return (mask >> i & 1) != 0; }

// Spreads the written positions over the input's axes.
StatusOr<DenseSpec> SpreadPositions(int rank, int length, SliceMasks masks) {
  if (std::popcount(masks.ellipsis) > 1) {
    return InvalidArgument("Multiple ellipses in slice spec not allowed");
  }
  if (length > 63) return InvalidArgument("a slice of {} positions is too long", length);
  if (masks.ellipsis == 0) masks.ellipsis = uint64_t{1} << length++;
  DenseSpec spec;
  for (int i = 0; i < length; ++i) {
    if (Bit(masks.ellipsis, i)) {
      int later = 0;  // input axes that the positions after this one take
      for (int k = i + 1; k < length; ++k) later += Bit(masks.new_axis, k) ? 0 : 1;
      while (static_cast<int>(spec.axes.size()) < rank - later) {
        spec.output_axes.push_back(static_cast<int>(spec.axes.size()));
        spec.axes.emplace_back();
      }
    } else if (Bit(masks.new_axis, i)) {
      spec.output_axes.push_back(kNewAxis);
    } else {
      const int axis = static_cast<int>(spec.axes.size());
      if (axis == rank) {
        return InvalidArgument("Index out of range using input dim {}; input has only {} dims",
                               axis, rank);
      }
      const bool shrink = Bit(masks.shrink, i);
      if (!shrink) spec.output_axes.push_back(axis);
      spec.axes.push_back({.position = i,
                           .begin_masked = Bit(masks.begin, i),
                           .end_masked = Bit(masks.end, i),
                           .shrink = shrink});
    }
  }
  return spec;
}

struct Taken {
  int64_t begin = 0;
  int64_t stride = 1;
  int64_t count = kUnknownDim;
};

std::optional<int64_t> At(const std::optional<Dims>& values, int i) {
  if (!values.has_value()) return std::nullopt;
  return (*values)[static_cast<size_t>(i)];
}

StatusOr<Taken> TakeOne(std::optional<int64_t> begin, int64_t size, int axis) {
  if (!begin.has_value() || size == kUnknownDim) return Taken{.count = 1};
  const int64_t at = *begin < 0 ? *begin + size : *begin;
  if (at < 0 || at >= size) {
    return InvalidArgument("slice index {} of dimension {} out of bounds.", *begin, axis);
  }
  return Taken{.begin = at, .stride = 1, .count = 1};
}

// `bound`, counted from the end when negative, moved into what a stride of that sign may reach.
int64_t Clamp(int64_t bound, int64_t size, bool forward) {
  if (bound < 0) bound += size;
  return forward ? std::clamp<int64_t>(bound, 0, size) : std::clamp<int64_t>(bound, -1, size - 1);
}

StatusOr<Taken> TakeFrom(const AxisRange& range, const SliceBounds& bounds, int64_t size,
                         int axis) {
  if (range.position < 0) return Taken{.begin = 0, .stride = 1, .count = size};
  const std::optional<int64_t> stride = At(bounds.strides, range.position);
  if (stride == 0) return InvalidArgument("strides[{}] must be non-zero", range.position);
  if (range.shrink) {
    if (stride.has_value() && *stride < 0) {
      return InvalidArgument("only stride 1 allowed on non-range indexing.");
    }
    return TakeOne(At(bounds.begin, range.position), size, axis);
  }
  if (range.begin_masked && range.end_masked && (stride == 1 || stride == -1)) {
    return Taken{.begin = *stride == 1 ? 0 : size - 1, .stride = *stride, .count = size};
  }
  std::optional<int64_t> begin = At(bounds.begin, range.position);
  std::optional<int64_t> end = At(bounds.end, range.position);
  const bool known = stride.has_value() && size != kUnknownDim &&
                     (begin.has_value() || range.begin_masked) &&
                     (end.has_value() || range.end_masked);
  if (!known) return Taken{};
  const bool forward = *stride > 0;
  const int64_t first =
      range.begin_masked ? (forward ? 0 : size - 1) : Clamp(*begin, size, forward);
  const int64_t limit = range.end_masked ? (forward ? size : -1) : Clamp(*end, size, forward);
  const int64_t distance = forward ? limit - first : first - limit;
  // Unsigned, because the most negative stride has no positive counterpart.
  const uint64_t step =
      forward ? static_cast<uint64_t>(*stride) : uint64_t{0} - static_cast<uint64_t>(*stride);
  const int64_t count =
      distance <= 0 ? 0 : static_cast<int64_t>((static_cast<uint64_t>(distance) - 1) / step + 1);
  return Taken{.begin = first, .stride = *stride, .count = count};
}

}  // namespace

StatusOr<SliceMasks> ReadSliceMasks(const op::AttrMap& attrs) {
  SliceMasks masks;
  for (const auto& [name, mask] :
       {std::pair{"begin_mask", &masks.begin}, std::pair{"end_mask", &masks.end},
        std::pair{"ellipsis_mask", &masks.ellipsis}, std::pair{"new_axis_mask", &masks.new_axis},
        std::pair{"shrink_axis_mask", &masks.shrink}}) {
    RHEO_ASSIGN_OR_RETURN(const int64_t value, attrs.Get<int64_t>(name));
    *mask = static_cast<uint64_t>(value);
  }
  return masks;
}

StatusOr<StridedSliceSpec> ResolveStridedSlice(const PartialShape& input, const SliceBounds& bounds,
                                               const SliceMasks& masks) {
  RHEO_ASSIGN_OR_RETURN(const DenseSpec dense, SpreadPositions(input.rank(), bounds.length, masks));
  StridedSliceSpec spec;
  spec.taken = spec.shape = PartialShape::OfRank(0);
  for (int axis = 0; axis < input.rank(); ++axis) {
    RHEO_ASSIGN_OR_RETURN(const Taken taken, TakeFrom(dense.axes[static_cast<size_t>(axis)], bounds,
                                                      input.dim(axis), axis));
    spec.begin.push_back(taken.begin);
    spec.strides.push_back(taken.stride);
    spec.taken.AddDim(taken.count);
  }
  for (const int axis : dense.output_axes) {
    spec.shape.AddDim(axis == kNewAxis ? 1 : spec.taken.dim(axis));
  }
  return spec;
}

}  // namespace rheo::ops
