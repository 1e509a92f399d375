// Exponential functions of float that compilers vectorize: no branches, no calls, no tables. Right
// to about two units in the last place over the whole range, infinities and NaN included. For other
// types they are those of the C++ library.
#ifndef RHEO_OPS_COMMON_FAST_MATH_H_
#define RHEO_OPS_COMMON_FAST_MATH_H_

#include <bit>
#include <cmath>
#include <cstdint>

namespace rheo::ops {
namespace internal {

// e^x = 2^n · (1 + q) with |q| < 0.42.
struct ExpParts {
  int32_t n;
  float q;
};

inline ExpParts SplitExp(float x) {
  // Adding this rounds to a whole number, which then stands in the lowest bits.
  constexpr float kRounder = 0x1.8p23f;
  constexpr float kLog2E = 0x1.715476p0f;
  // ln 2 in two parts; the first has few bits, so that its multiples are exact.
  constexpr float kLn2High = 0x1.62ep-1f;
  constexpr float kLn2Low = 0x1.0bfbe8p-15f;
  const float shifted = x * kLog2E + kRounder;
  const float n = shifted - kRounder;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  // The series of e^r - 1; |r| <= ln 2 / 2.
  float series = 1.0f / 5040;
  series = series * r + 1.0f / 720;
  series = series * r + 1.0f / 120;
  series = series * r + 1.0f / 24;
  series = series * r + 1.0f / 6;
  series = series * r + 0.5f;
  return {std::bit_cast<int32_t>(shifted) - std::bit_cast<int32_t>(kRounder), series * r * r + r};
}

// 2^n for -126 <= n <= 127.
inline float PowerOfTwo(int32_t n) { return std::bit_cast<float>((n + 127) << 23); }

// A NaN passes through.
inline float Clamp(float x, float low, float high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}

}  // namespace internal

template <typename T>
T FastExp(T x) {
  return std::exp(x);
}
template <>
inline float FastExp(float x) {
  const internal::ExpParts e = internal::SplitExp(internal::Clamp(x, -104.0f, 89.0f));
  // In two steps, since 2^n alone may be too large or too small for a float. Of a NaN the powers
  // are any number; 1 + q is NaN.
  const int32_t half = e.n >> 1;
  return (1.0f + e.q) * internal::PowerOfTwo(half) * internal::PowerOfTwo(e.n - half);
}

template <typename T>
T FastTanh(T x) {
  return std::tanh(x);
}
template <>
inline float FastTanh(float x) {
  // (e^2x - 1) / (e^2x + 1) by way of e^2x - 1, which keeps all digits near 0.
  const internal::ExpParts e = internal::SplitExp(internal::Clamp(2 * x, -20.0f, 20.0f));
  const float scale = internal::PowerOfTwo(e.n);
  const float grown = scale * e.q + (scale - 1.0f);
  return grown / (grown + 2.0f);
}

template <typename T>
T FastSigmoid(T x) {
  return T(1) / (T(1) + FastExp(-x));
}

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_FAST_MATH_H_
