#include "rheo/ops/common/shape_tools.h"

#include "rheo/ops/common/integers.h"

namespace rheo::ops {

std::optional<Dims> ConstantIntegers(const op::ShapeContext& c, int input) {
  const Tensor* const value = c.constant(input);
  if (value == nullptr) return std::nullopt;
  StatusOr<Dims> integers = ReadIntegers(*value, "constant");
  if (!integers.ok()) return std::nullopt;
  return *std::move(integers);
}

std::optional<int64_t> ConstantInteger(const op::ShapeContext& c, int input) {
  const std::optional<Dims> values = ConstantIntegers(c, input);
  if (!values.has_value() || values->size() != 1) return std::nullopt;
  return (*values)[0];
}

int64_t AddDims(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (a == kUnknownDim || b == kUnknownDim || __builtin_add_overflow(a, b, &sum)) {
    return kUnknownDim;
  }
  return sum;
}

int64_t MultiplyDims(int64_t a, int64_t b) {
  int64_t product = 0;
  if (a == 0 || b == 0) return 0;
  if (a == kUnknownDim || b == kUnknownDim || __builtin_mul_overflow(a, b, &product)) {
    return kUnknownDim;
  }
  return product;
}

PartialShape SubShape(const PartialShape& shape, int begin, int end) {
  return PartialShape(
      shape.dims().subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
}

PartialShape ConcatShapes(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank() || !b.has_rank()) return {};
  PartialShape result = a;
  for (const int64_t d : b.dims()) result.AddDim(d);
  return result;
}

}  // namespace rheo::ops
