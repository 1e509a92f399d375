// Shape functions that several families share, and how to set them for many ops at once.
#ifndef RHEO_OPS_COMMON_SHAPE_FUNCTIONS_H_
#define RHEO_OPS_COMMON_SHAPE_FUNCTIONS_H_

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/op/op_registry.h"
#include "rheo/op/shape_context.h"

namespace rheo::ops {

// NOT_FOUND naming the first op that `registry` lacks.
Status SetShapeFns(op::OpRegistry& registry, std::initializer_list<std::string_view> ops,
                   const op::ShapeFn& fn);

// Output 0 = what is known of any input's shape; INVALID_ARGUMENT when they contradict.
Status MergedShape(op::ShapeContext& c);

// Output 0 = input 0 without the axes that input 1 names, or with them as 1 when the attr keep_dims
// says so.
Status ReductionShape(op::ShapeContext& c);

// The elements of a constant int16, int32 or int64 input; nullopt when it is not known.
std::optional<std::vector<int64_t>> ConstantInts(const op::ShapeContext& c, int input);

// INVALID_ARGUMENT unless the input's rank is unknown or at least `rank`.
Status RequireRankAtLeast(const op::ShapeContext& c, int input, int rank);

// What is known of two dims that must be equal; INVALID_ARGUMENT when they differ.
StatusOr<int64_t> MergeDims(int64_t a, int64_t b);

// Dimension i of a shape, kUnknownDim when not even the rank is known; i < 0 counts from the end.
int64_t DimOf(const PartialShape& shape, int i);

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_SHAPE_FUNCTIONS_H_
