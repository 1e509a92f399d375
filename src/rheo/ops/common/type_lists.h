// Lists of element types, and loops over them at registration.
//
//   ForEachType<FloatTypes>([&]<typename T>() {
//     registry.Add({.op = "Exp", .types = {{"T", {kDTypeOf<T>}}}, .factory =
//     FunctionKernel(&Exp<T>)});
//   });
#ifndef RHEO_OPS_COMMON_TYPE_LISTS_H_
#define RHEO_OPS_COMMON_TYPE_LISTS_H_

#include <complex>
#include <cstdint>
#include <vector>

#include "rheo/tensor/dtype.h"

namespace rheo::ops {

template <typename... Ts>
struct TypeList {};

using FloatTypes = TypeList<float, double, Half, Bfloat16>;
using ComplexTypes = TypeList<std::complex<float>, std::complex<double>>;
using IntTypes = TypeList<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;
using RealTypes = TypeList<float, double, Half, Bfloat16, int8_t, int16_t, int32_t, int64_t,
                           uint8_t, uint16_t, uint32_t, uint64_t>;
using NumberTypes =
    TypeList<float, double, Half, Bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
             uint32_t, uint64_t, std::complex<float>, std::complex<double>>;
using IndexTypes = TypeList<int32_t, int64_t>;

namespace internal {
template <typename F, typename... Ts>
void ForEach(TypeList<Ts...>, F&& f) {
  (f.template operator()<Ts>(), ...);
}
template <typename... Ts>
std::vector<DType> DTypes(TypeList<Ts...>) {
  return {kDTypeOf<Ts>...};
}
}  // namespace internal

// Calls f.template operator()<T>() for each T of the list.
template <typename List, typename F>
void ForEachType(F&& f) {
  internal::ForEach(List{}, f);
}

// The dtypes of the list's types.
template <typename List>
std::vector<DType> DTypesOf() {
  return internal::DTypes(List{});
}

// Calls f.template operator()<N>() with an N of 1, 2, 4, 8 or 16 plain bytes as large as `dtype`,
// or with std::string, ResourceHandle or Variant: for kernels that only move elements.
struct Bytes16 {
  uint64_t low, high;
};
template <typename F>
auto DispatchByLayout(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kString:
      return f.template operator()<std::string>();
    case DType::kResource:
      return f.template operator()<ResourceHandle>();
    case DType::kVariant:
      return f.template operator()<Variant>();
    default:
      break;
  }
  switch (DTypeSize(dtype)) {
    case 1:
      return f.template operator()<uint8_t>();
    case 2:
      return f.template operator()<uint16_t>();
    case 4:
      return f.template operator()<uint32_t>();
    case 8:
      return f.template operator()<uint64_t>();
    default:
      return f.template operator()<Bytes16>();
  }
}

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_TYPE_LISTS_H_
