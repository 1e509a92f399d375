// Powers, and products with logarithms that are 0 where the factor is 0.
#include <algorithm>
#include <cmath>

#include "rheo/ops/common/arithmetic.h"
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/math/kernels.h"

namespace rheo::ops {
namespace {

struct PowOf {
  template <typename T>
  T operator()(T x, T y) const {
    if constexpr (!std::is_integral_v<T>) {
      return std::pow(x, y);
    } else {
      T result = 1;
      for (T rest = y; rest > 0; rest = static_cast<T>(rest >> 1)) {
        if ((rest & 1) != 0) result = WrapMul(result, x);
        x = WrapMul(x, x);
      }
      return result;
    }
  }
};

template <typename T>
Status IntegerPow(KernelContext& context) {
  const std::span<const T> exponents = context.input(1).flat<T>();
  if (context.input(0).num_elements() > 0 &&
      std::any_of(exponents.begin(), exponents.end(), [](T e) { return e < 0; })) {
    return InvalidArgument("Integers to negative integer powers are not allowed");
  }
  return BinaryKernel<PowOf, T, T, 5000>(context);
}

struct XlogyOf {
  template <typename T>
  T operator()(T x, T y) const {
    return x == T(0) ? T(0) : x * std::log(y);
  }
};

struct Xlog1pyOf {
  template <typename T>
  T operator()(T x, T y) const {
    if (x == T(0)) return T(0);
    if constexpr (kIsComplex<T>) {
      return x * std::log(T(1) + y);
    } else {
      return x * std::log1p(y);
    }
  }
};

struct XdivyOf {
  template <typename T>
  T operator()(T x, T y) const {
    return x == T(0) ? T(0) : x / y;
  }
};

}  // namespace

void RegisterPowerKernels(kernel::KernelRegistry& registry) {
  AddBinary<FloatComplexTypes, 20000>(registry, "Pow", PowOf());
  ForEachType<TypeList<int8_t, int16_t, int32_t, int64_t>>(
      [&]<typename T>() { AddKernel<T>(registry, "Pow", &IntegerPow<T>); });
  AddBinary<FloatComplexTypes, kCostly>(registry, "Xlogy", XlogyOf());
  AddBinary<FloatComplexTypes, kCostly>(registry, "Xlog1py", Xlog1pyOf());
  AddBinary<FloatComplexTypes>(registry, "Xdivy", XdivyOf());
  AddBinary<FullFloatTypes, kCostly>(registry, "NextAfter",
                                     [](auto x, auto y) { return std::nextafter(x, y); });
}

}  // namespace rheo::ops
