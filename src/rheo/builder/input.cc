#include "rheo/builder/input.h"

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <limits>

namespace rheo::builder {
namespace {

// Holds every 64-bit integer and every double exactly.
using Number = long double;
static_assert(std::numeric_limits<Number>::digits >= 64);

template <typename T>
std::vector<Number> NumbersAs(const Tensor& tensor) {
  const std::span<const T> values = tensor.flat<T>();
  return std::vector<Number>(values.begin(), values.end());
}

StatusOr<std::vector<Number>> NumbersOf(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kBool:
      return NumbersAs<bool>(tensor);
    case DType::kInt8:
      return NumbersAs<int8_t>(tensor);
    case DType::kInt16:
      return NumbersAs<int16_t>(tensor);
    case DType::kInt32:
      return NumbersAs<int32_t>(tensor);
    case DType::kInt64:
      return NumbersAs<int64_t>(tensor);
    case DType::kUint8:
      return NumbersAs<uint8_t>(tensor);
    case DType::kUint16:
      return NumbersAs<uint16_t>(tensor);
    case DType::kUint32:
      return NumbersAs<uint32_t>(tensor);
    case DType::kUint64:
      return NumbersAs<uint64_t>(tensor);
    case DType::kFloat:
      return NumbersAs<float>(tensor);
    case DType::kDouble:
      return NumbersAs<double>(tensor);
    default:
      return InvalidArgument("a literal of {}", DTypeName(tensor.dtype()));
  }
}

template <typename T>
bool Fits(Number value) {
  if constexpr (std::is_integral_v<T>) {
    return std::trunc(value) == value && value >= Number{std::numeric_limits<T>::min()} &&
           value <= Number{std::numeric_limits<T>::max()};
  } else {
    return true;
  }
}

template <typename T>
T FromNumber(Number value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(value);
  } else {
    return T(static_cast<float>(value));  // half, bfloat16
  }
}
template <>
std::complex<float> FromNumber(Number value) {
  return {static_cast<float>(value), 0};
}
template <>
std::complex<double> FromNumber(Number value) {
  return {static_cast<double>(value), 0};
}

template <typename T>
StatusOr<Tensor> TensorOf(const std::vector<Number>& values, const Shape& shape) {
  Tensor result(kDTypeOf<T>, shape);
  const std::span<T> out = result.mutable_flat<T>();
  for (size_t i = 0; i < values.size(); ++i) {
    if (!Fits<T>(values[i])) {
      return InvalidArgument("the literal {} is not a value of {}", static_cast<double>(values[i]),
                             DTypeName(kDTypeOf<T>));
    }
    out[i] = FromNumber<T>(values[i]);
  }
  return result;
}

}  // namespace

std::string Input::ToString() const {
  if (!has_value()) return "nothing";
  return DTypeName(dtype()) +
         (value_.has_value() ? value_.shape().ToString() : output_.shape().ToString());
}

StatusOr<Tensor> ConvertLiteral(const Tensor& literal, DType dtype) {
  if (literal.dtype() == dtype) return literal;
  RHEO_ASSIGN_OR_RETURN(const std::vector<Number> values, NumbersOf(literal));
  const Shape& shape = literal.shape();
  switch (dtype) {
    case DType::kInt8:
      return TensorOf<int8_t>(values, shape);
    case DType::kInt16:
      return TensorOf<int16_t>(values, shape);
    case DType::kInt32:
      return TensorOf<int32_t>(values, shape);
    case DType::kInt64:
      return TensorOf<int64_t>(values, shape);
    case DType::kUint8:
      return TensorOf<uint8_t>(values, shape);
    case DType::kUint16:
      return TensorOf<uint16_t>(values, shape);
    case DType::kUint32:
      return TensorOf<uint32_t>(values, shape);
    case DType::kUint64:
      return TensorOf<uint64_t>(values, shape);
    case DType::kHalf:
      return TensorOf<Half>(values, shape);
    case DType::kBfloat16:
      return TensorOf<Bfloat16>(values, shape);
    case DType::kFloat:
      return TensorOf<float>(values, shape);
    case DType::kDouble:
      return TensorOf<double>(values, shape);
    case DType::kComplex64:
      return TensorOf<std::complex<float>>(values, shape);
    case DType::kComplex128:
      return TensorOf<std::complex<double>>(values, shape);
    default:
      return InvalidArgument("a literal of {} cannot become {}", DTypeName(literal.dtype()),
                             DTypeName(dtype));
  }
}

}  // namespace rheo::builder
