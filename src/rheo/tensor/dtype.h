// DType: the element types of tensors, numbered as TensorFlow's DataType enum.
#ifndef RHEO_TENSOR_DTYPE_H_
#define RHEO_TENSOR_DTYPE_H_

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rheo/tensor/float_types.h"

namespace rheo {

class Variant;
struct ResourceHandle;

enum class DType : uint8_t {
  kInvalid = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQint8 = 11,
  kQuint8 = 12,
  kQint32 = 13,
  kBfloat16 = 14,
  kQint16 = 15,
  kQuint16 = 16,
  kUint16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kResource = 20,
  kVariant = 21,
  kUint32 = 22,
  kUint64 = 23,
  kFloat8E5m2 = 24,
  kFloat8E4m3fn = 25,
  kFloat8E4m3fnuz = 26,
  kFloat8E4m3b11fnuz = 27,
  kFloat8E5m2fnuz = 28,
  kInt4 = 29,
  kUint4 = 30,
  kInt2 = 31,
  kUint2 = 32,
  kFloat4E2m1fn = 33,
};

// A reference type is its base type + 100, as on the wire.
inline constexpr int kRefOffset = 100;

constexpr bool IsRef(DType t) { return static_cast<int>(t) > kRefOffset; }
constexpr DType MakeRef(DType t) {
  return IsRef(t) ? t : static_cast<DType>(static_cast<int>(t) + kRefOffset);
}
constexpr DType RemoveRef(DType t) {
  return IsRef(t) ? static_cast<DType>(static_cast<int>(t) - kRefOffset) : t;
}

// All base types but kInvalid, ascending.
inline constexpr auto kAllDTypes = [] {
  std::array<DType, 33> all{};
  for (int i = 0; i < 33; ++i) all[static_cast<size_t>(i)] = static_cast<DType>(i + 1);
  return all;
}();

// True for kFloat … kFloat4E2m1fn and their reference forms.
constexpr bool IsValidDType(DType t) {
  const DType base = RemoveRef(t);
  return base >= DType::kFloat && base <= DType::kFloat4E2m1fn;
}

// TensorFlow's printable name: "float", "int32", "bfloat16", "float_ref"; "invalid" for others.
std::string DTypeName(DType t);

// The inverse of DTypeName, "DT_FLOAT" accepted too; nullopt when unknown.
std::optional<DType> ParseDType(std::string_view name);

// Bytes of one element in memory and on the wire: sub-byte types take a whole byte. kString,
// kResource and kVariant give the size of their C++ object; kInvalid 0. References as their base.
size_t DTypeSize(DType t);

// True when elements are plain bytes that may be copied with memcpy: all but kString, kResource,
// kVariant, references and kInvalid.
constexpr bool IsPlainData(DType t) {
  return IsValidDType(t) && !IsRef(t) && t != DType::kString && t != DType::kResource &&
         t != DType::kVariant;
}

constexpr bool IsFloating(DType t) {
  return t == DType::kFloat || t == DType::kDouble || t == DType::kHalf || t == DType::kBfloat16 ||
         (t >= DType::kFloat8E5m2 && t <= DType::kFloat8E5m2fnuz) || t == DType::kFloat4E2m1fn;
}
constexpr bool IsComplex(DType t) { return t == DType::kComplex64 || t == DType::kComplex128; }
// Quantized types are not integers in this sense.
constexpr bool IsInteger(DType t) {
  switch (t) {
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
    case DType::kUint8:
    case DType::kUint16:
    case DType::kUint32:
    case DType::kUint64:
    case DType::kInt4:
    case DType::kUint4:
    case DType::kInt2:
    case DType::kUint2:
      return true;
    default:
      return false;
  }
}

// DTypeOf<float>::value == DType::kFloat, for each C++ element type.
template <typename T>
struct DTypeOf;
#define RHEO_DTYPE_OF(Type, kName)               \
  template <>                                    \
  struct DTypeOf<Type> {                         \
    static constexpr DType value = DType::kName; \
  };
RHEO_DTYPE_OF(float, kFloat)
RHEO_DTYPE_OF(double, kDouble)
RHEO_DTYPE_OF(int32_t, kInt32)
RHEO_DTYPE_OF(uint8_t, kUint8)
RHEO_DTYPE_OF(int16_t, kInt16)
RHEO_DTYPE_OF(int8_t, kInt8)
RHEO_DTYPE_OF(std::string, kString)
RHEO_DTYPE_OF(std::complex<float>, kComplex64)
RHEO_DTYPE_OF(int64_t, kInt64)
RHEO_DTYPE_OF(bool, kBool)
RHEO_DTYPE_OF(Bfloat16, kBfloat16)
RHEO_DTYPE_OF(uint16_t, kUint16)
RHEO_DTYPE_OF(std::complex<double>, kComplex128)
RHEO_DTYPE_OF(Half, kHalf)
RHEO_DTYPE_OF(ResourceHandle, kResource)
RHEO_DTYPE_OF(Variant, kVariant)
RHEO_DTYPE_OF(uint32_t, kUint32)
RHEO_DTYPE_OF(uint64_t, kUint64)
#undef RHEO_DTYPE_OF

template <typename T>
inline constexpr DType kDTypeOf = DTypeOf<T>::value;

}  // namespace rheo

#endif  // RHEO_TENSOR_DTYPE_H_
