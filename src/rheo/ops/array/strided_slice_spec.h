// What a strided slice takes from each axis: begin, end and strides read together with the masks of
// StridedSlice and its relatives.
#ifndef RHEO_OPS_ARRAY_STRIDED_SLICE_SPEC_H_
#define RHEO_OPS_ARRAY_STRIDED_SLICE_SPEC_H_

#include <cstdint>
#include <optional>

#include "rheo/op/attr_value.h"
#include "rheo/tensor/shape.h"

namespace rheo::ops {

// Bit i belongs to element i of begin, end and strides.
struct SliceMasks {
  uint64_t begin = 0;     // from the start of the axis
  uint64_t end = 0;       // to its end
  uint64_t ellipsis = 0;  // stands for all axes that are not mentioned; at most one bit
  uint64_t new_axis = 0;  // a new axis of size 1
  uint64_t shrink = 0;    // one position; the axis disappears
};
StatusOr<SliceMasks> ReadSliceMasks(const op::AttrMap& attrs);

// Begin, end and strides as far as they are known; `length` is the size of each.
struct SliceBounds {
  int length = 0;
  std::optional<Dims> begin;
  std::optional<Dims> end;
  std::optional<Dims> strides;
};

struct StridedSliceSpec {
  // Of each input axis; valid only where the bounds and the input's shape were known.
  Dims begin;
  Dims strides;
  // How many positions are taken of each input axis; kUnknownDim where it is not known.
  PartialShape taken;
  // The output: without shrunk axes, with new ones.
  PartialShape shape;
};

// INVALID_ARGUMENT for bounds that do not fit `input`, which has a rank.
StatusOr<StridedSliceSpec> ResolveStridedSlice(const PartialShape& input, const SliceBounds& bounds,
                                               const SliceMasks& masks);

}  // namespace rheo::ops

#endif  // RHEO_OPS_ARRAY_STRIDED_SLICE_SPEC_H_
