// Small tools of shape functions: constants and dims that may be unknown.
#ifndef RHEO_OPS_COMMON_SHAPE_TOOLS_H_
#define RHEO_OPS_COMMON_SHAPE_TOOLS_H_

#include <optional>

#include "rheo/op/shape_context.h"

namespace rheo::ops {

// The value of an integer input, if it is known while the graph is built.
std::optional<Dims> ConstantIntegers(const op::ShapeContext& c, int input);
// The value of an integer scalar, if it is known.
std::optional<int64_t> ConstantInteger(const op::ShapeContext& c, int input);

// a + b and a * b, kUnknownDim where one is unknown or the result does not fit.
int64_t AddDims(int64_t a, int64_t b);
int64_t MultiplyDims(int64_t a, int64_t b);

// Dims [begin, end) of a shape with a rank.
PartialShape SubShape(const PartialShape& shape, int begin, int end);
// a's dims, then b's; unknown where one has no rank.
PartialShape ConcatShapes(const PartialShape& a, const PartialShape& b);

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_SHAPE_TOOLS_H_
