// Arithmetic on any element type without undefined behaviour: integers wrap around.
#ifndef RHEO_OPS_COMMON_ARITHMETIC_H_
#define RHEO_OPS_COMMON_ARITHMETIC_H_

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "rheo/tensor/float_types.h"

namespace rheo::ops {

template <typename T>
inline constexpr bool kIsComplex = false;
template <typename R>
inline constexpr bool kIsComplex<std::complex<R>> = true;

// Half and Bfloat16 count as floating.
template <typename T>
inline constexpr bool kIsFloating =
    std::is_floating_point_v<T> || std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>;

// The unsigned type in which integers of T are added and multiplied; at least 32 bits, so that no
// promotion to a signed type happens.
template <typename T>
using WrapType = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;

template <typename T>
T WrapAdd(const T& a, const T& b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<WrapType<T>>(a) + static_cast<WrapType<T>>(b));
  } else {
    return a + b;
  }
}

template <typename T>
T WrapSub(const T& a, const T& b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<WrapType<T>>(a) - static_cast<WrapType<T>>(b));
  } else {
    return a - b;
  }
}

// Complex numbers by the plain formula, which vectorizes and does not mend infinities.
template <typename T>
T WrapMul(const T& a, const T& b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<WrapType<T>>(a) * static_cast<WrapType<T>>(b));
  } else if constexpr (kIsComplex<T>) {
    return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  } else {
    return a * b;
  }
}

template <typename T>
T WrapNeg(const T& a) {
  if constexpr (std::is_integral_v<T>) {
    return WrapSub(T(0), a);
  } else {
    return -a;
  }
}

// Quotient rounded towards zero, for b != 0; the most negative number by -1 wraps around.
template <typename T>
T TruncatedQuotient(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == T(-1)) return WrapNeg(a);
  }
  return static_cast<T>(a / b);
}

// Quotient by a positive count, which T need not hold.
template <typename T>
T DividedBy(const T& sum, int64_t count) {
  if constexpr (std::is_integral_v<T>) {
    using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    return static_cast<T>(static_cast<Wide>(sum) / static_cast<Wide>(count));
  } else if constexpr (kIsComplex<T>) {
    return sum / static_cast<typename T::value_type>(count);
  } else {
    return static_cast<T>(sum / static_cast<T>(count));
  }
}

template <typename T>
T TruncatedRemainder(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == T(-1)) return T(0);
  }
  return static_cast<T>(a % b);
}

template <typename T>
T Conjugate(const T& x) {
  if constexpr (kIsComplex<T>) {
    return std::conj(x);
  } else {
    return x;
  }
}

// The smallest value of T: minus infinity where there is one.
template <typename T>
constexpr T Lowest() {
  if constexpr (std::is_floating_point_v<T>) {
    return -std::numeric_limits<T>::infinity();
  } else {
    return std::numeric_limits<T>::lowest();
  }
}
template <typename T>
constexpr T Highest() {
  if constexpr (std::is_floating_point_v<T>) {
    return std::numeric_limits<T>::infinity();
  } else {
    return std::numeric_limits<T>::max();
  }
}

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_ARITHMETIC_H_
