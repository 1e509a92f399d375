// Sums, differences, products; the larger and the smaller of two numbers.
#include <cmath>

#include "rheo/ops/common/arithmetic.h"
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/math/kernels.h"

namespace rheo::ops {
namespace {

struct SquaredDifferenceOf {
  template <typename T>
  T operator()(T x, T y) const {
    const T d = WrapSub(x, y);
    return WrapMul(d, Conjugate(d));
  }
};

// A NaN on either side is the result.
struct MaximumOf {
  template <typename T>
  T operator()(T x, T y) const {
    if constexpr (std::is_floating_point_v<T>) {
      return x >= y ? x : x == x ? y : x;
    } else {
      return x < y ? y : x;
    }
  }
};
struct MinimumOf {
  template <typename T>
  T operator()(T x, T y) const {
    if constexpr (std::is_floating_point_v<T>) {
      return x <= y ? x : x == x ? y : x;
    } else {
      return y < x ? y : x;
    }
  }
};

}  // namespace

void RegisterArithmeticKernels(kernel::KernelRegistry& registry) {
  using OldAddTypes = TypeList<float, double, Half, Bfloat16, int8_t, int16_t, int32_t, int64_t,
                               uint8_t, std::complex<float>, std::complex<double>, std::string>;
  using DifferenceTypes = TypeList<float, double, Half, Bfloat16, int32_t, int64_t,
                                   std::complex<float>, std::complex<double>>;
  const auto add = [](const auto& x, const auto& y) { return WrapAdd(x, y); };
  AddBinary<OldAddTypes>(registry, "Add", add);
  AddBinary<NumberTypes>(registry, "AddV2", add);
  AddBinary<NumberTypes>(registry, "Sub", [](auto x, auto y) { return WrapSub(x, y); });
  AddBinary<NumberTypes>(registry, "Mul", [](auto x, auto y) { return WrapMul(x, y); });
  AddBinary<FloatComplexTypes>(registry, "MulNoNan", [](auto x, auto y) {
    return y == decltype(y)(0) ? decltype(y)(0) : WrapMul(x, y);
  });
  AddBinary<DifferenceTypes>(registry, "SquaredDifference", SquaredDifferenceOf());
  AddBinary<RealTypes>(registry, "Maximum", MaximumOf());
  AddBinary<RealTypes>(registry, "Minimum", MinimumOf());
}

}  // namespace rheo::ops
