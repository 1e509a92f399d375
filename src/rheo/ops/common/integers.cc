#include "rheo/ops/common/integers.h"

namespace rheo::ops {
namespace {

template <typename T>
Dims Widen(const Tensor& tensor) {
  const std::span<const T> values = tensor.flat<T>();
  return Dims(values.begin(), values.end());
}

}  // namespace

StatusOr<Dims> ReadIntegers(const Tensor& tensor, std::string_view what) {
  switch (tensor.dtype()) {
    case DType::kInt8:
      return Widen<int8_t>(tensor);
    case DType::kInt16:
      return Widen<int16_t>(tensor);
    case DType::kInt32:
      return Widen<int32_t>(tensor);
    case DType::kInt64:
      return Widen<int64_t>(tensor);
    default:
      return InvalidArgument("{} must be a tensor of integers, but is {}", what,
                             DTypeName(tensor.dtype()));
  }
}

StatusOr<Dims> ReadIntVector(const Tensor& tensor, std::string_view what) {
  if (tensor.rank() != 1) {
    return InvalidArgument("{} must be a vector, but has shape {}", what,
                           tensor.shape().ToString());
  }
  return ReadIntegers(tensor, what);
}

StatusOr<int64_t> ReadIntScalar(const Tensor& tensor, std::string_view what) {
  if (tensor.num_elements() != 1) {
    return InvalidArgument("{} must be a scalar, but has shape {}", what,
                           tensor.shape().ToString());
  }
  RHEO_ASSIGN_OR_RETURN(const Dims values, ReadIntegers(tensor, what));
  return values[0];
}

StatusOr<Shape> ReadShape(const Tensor& tensor, std::string_view what) {
  RHEO_ASSIGN_OR_RETURN(const Dims dims, ReadIntVector(tensor, what));
  return Shape::Create(dims);
}

StatusOr<int> ResolveAxis(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    return InvalidArgument("axis {} is not in [{}, {}) of a tensor of rank {}", axis, -rank, rank,
                           rank);
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace rheo::ops
