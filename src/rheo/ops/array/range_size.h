// How many numbers a Range has; its kernel and its shape function must agree.
#ifndef RHEO_OPS_ARRAY_RANGE_SIZE_H_
#define RHEO_OPS_ARRAY_RANGE_SIZE_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "rheo/base/status.h"

namespace rheo::ops {

namespace internal {

// ceil((limit - start) / delta) without rounding.
inline __int128 ExactRangeSize(__int128 start, __int128 limit, __int128 delta) {
  if (delta < 0) return ExactRangeSize(-start, -limit, -delta);
  return (limit - start + delta - 1) / delta;
}

}  // namespace internal

// INVALID_ARGUMENT when delta is zero, has the wrong sign, or makes the range too long. Floating
// types divide in T, as TensorFlow does, so that the size may be one off what exact numbers give.
template <typename T>
StatusOr<int64_t> RangeSize(T start, T limit, T delta) {
  if (delta == T(0)) return InvalidArgument("delta of a range must not be 0");
  if (delta > T(0) ? start > limit : start < limit) {
    return InvalidArgument("a range from {} to {} needs a delta of the other sign than {}",
                           static_cast<double>(start), static_cast<double>(limit),
                           static_cast<double>(delta));
  }
  if constexpr (std::is_integral_v<T>) {
    const __int128 size = internal::ExactRangeSize(start, limit, delta);
    if (size > std::numeric_limits<int64_t>::max()) return InvalidArgument("the range is too long");
    return static_cast<int64_t>(size);
  } else {
    const T distance = static_cast<T>(limit - start);
    const double size = std::ceil(std::abs(static_cast<double>(static_cast<T>(distance / delta))));
    if (!(size <= 9e18)) return InvalidArgument("the range is too long");
    return static_cast<int64_t>(size);
  }
}

}  // namespace rheo::ops

#endif  // RHEO_OPS_ARRAY_RANGE_SIZE_H_
