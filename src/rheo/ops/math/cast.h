// Conversion of numbers from each dtype to each other, as x86 converts them: a number that the
// target cannot hold is undefined in C++; here it becomes what the machine's instruction gives.
#ifndef RHEO_OPS_MATH_CAST_H_
#define RHEO_OPS_MATH_CAST_H_

#include <limits>

#include "rheo/ops/common/arithmetic.h"
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/common/type_lists.h"

namespace rheo::ops {

// The loop that converts `src` to `dst`; nullptr when the pair is not supported.
UnaryLoop FindCastLoop(DType src, DType dst);
// Its parts, one file each.
UnaryLoop CastFromFloating(DType src, DType dst);
UnaryLoop CastFromSigned(DType src, DType dst);
UnaryLoop CastFromUnsigned(DType src, DType dst);
UnaryLoop CastFromOther(DType src, DType dst);  // bool and complex

// The integer that a conversion of `x` to I gives when I has at least 32 bits: its lowest value
// where `x` does not fit.
template <typename I, typename F>
I FloatToWideInteger(F x) {
  constexpr F kLow = static_cast<F>(std::numeric_limits<I>::lowest());
  constexpr F kHigh = -kLow;  // one above the largest, exactly representable
  return x >= kLow && x < kHigh ? static_cast<I>(x) : std::numeric_limits<I>::lowest();
}

template <typename I, typename F>
I FloatToInteger(F x) {
  if constexpr (std::is_same_v<I, int64_t>) {
    return FloatToWideInteger<int64_t>(x);
  } else if constexpr (std::is_same_v<I, uint64_t>) {
    constexpr F kHalfway = static_cast<F>(uint64_t{1} << 63);
    if (x < kHalfway) return static_cast<uint64_t>(FloatToWideInteger<int64_t>(x));
    return static_cast<uint64_t>(FloatToWideInteger<int64_t>(x - kHalfway)) ^ (uint64_t{1} << 63);
  } else if constexpr (std::is_same_v<I, uint32_t>) {
    return static_cast<uint32_t>(FloatToWideInteger<int64_t>(x));
  } else {
    return static_cast<I>(FloatToWideInteger<int32_t>(x));
  }
}

template <typename Dst>
struct CastTo {
  template <typename Src>
  Dst operator()(const Src& x) const {
    if constexpr (kIsComplex<Src> && kIsComplex<Dst>) {
      using R = typename Dst::value_type;
      return Dst(static_cast<R>(x.real()), static_cast<R>(x.imag()));
    } else if constexpr (std::is_same_v<Dst, bool>) {
      return x != Src(0);
    } else if constexpr (kIsComplex<Src>) {
      return (*this)(x.real());
    } else if constexpr (kIsComplex<Dst>) {
      return Dst(static_cast<typename Dst::value_type>(x), 0);
    } else if constexpr (std::is_same_v<Dst, Half> || std::is_same_v<Dst, Bfloat16>) {
      return Dst(static_cast<float>(x));
    } else if constexpr (std::is_floating_point_v<Src> && std::is_integral_v<Dst>) {
      return FloatToInteger<Dst>(x);
    } else {
      return static_cast<Dst>(x);
    }
  }
};

template <typename Src>
UnaryLoop CastLoopFrom(DType dst) {
  using Targets =
      TypeList<float, double, Half, Bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
               uint32_t, uint64_t, bool, std::complex<float>, std::complex<double>>;
  UnaryLoop loop = nullptr;
  ForEachType<Targets>([&]<typename Dst>() {
    if (dst == kDTypeOf<Dst>) loop = &LoopUnary<CastTo<Dst>, Src, Dst>;
  });
  return loop;
}

template <typename List>
UnaryLoop CastLoopFromAny(DType src, DType dst) {
  UnaryLoop loop = nullptr;
  ForEachType<List>([&]<typename Src>() {
    if (src == kDTypeOf<Src>) loop = CastLoopFrom<Src>(dst);
  });
  return loop;
}

}  // namespace rheo::ops

#endif  // RHEO_OPS_MATH_CAST_H_
