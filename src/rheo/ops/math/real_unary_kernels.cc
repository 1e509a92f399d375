// Functions of one real number: rounding, tests, absolute value, error function, gamma.
#include <cmath>

#include "rheo/ops/common/arithmetic.h"
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/math/kernels.h"
#include "rheo/ops/math/special_functions.h"

namespace rheo::ops {
namespace {

struct AbsOf {
  template <typename T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::abs(x);
    } else {
      return x < 0 ? WrapNeg(x) : x;
    }
  }
};

// Halves go to the even neighbour.
struct RoundOf {
  template <typename T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::nearbyint(x);
    } else {
      return x;
    }
  }
};

}  // namespace

void RegisterRealUnaryKernels(kernel::KernelRegistry& registry) {
  using Absolute = TypeList<float, double, Half, Bfloat16, int8_t, int16_t, int32_t, int64_t>;
  using Roundable = TypeList<float, double, Half, Bfloat16, int32_t, int64_t>;
  using Gamma = TypeList<float, double, Half>;
  AddUnary<Absolute>(registry, "Abs", AbsOf());
  AddUnary<FloatTypes>(registry, "Floor", [](auto x) { return std::floor(x); });
  AddUnary<FloatTypes>(registry, "Ceil", [](auto x) { return std::ceil(x); });
  AddUnary<Roundable>(registry, "Round", RoundOf());
  AddUnary<FullFloatTypes>(registry, "Rint", RoundOf());
  AddUnaryPredicate<FloatTypes>(registry, "IsNan", [](auto x) { return std::isnan(x); });
  AddUnaryPredicate<FloatTypes>(registry, "IsInf", [](auto x) { return std::isinf(x); });
  AddUnaryPredicate<FloatTypes>(registry, "IsFinite", [](auto x) { return std::isfinite(x); });
  AddUnary<FloatTypes, kCostly>(registry, "Erf", [](auto x) { return std::erf(x); });
  AddUnary<FloatTypes, kCostly>(registry, "Erfc", [](auto x) { return std::erfc(x); });
  AddUnary<Gamma, kCostly>(registry, "Lgamma", [](auto x) { return LogGamma(x); });
  AddUnary<Gamma, kCostly>(registry, "Digamma", [](auto x) { return Digamma(x); });
  AddUnary<FullFloatTypes, kCostly>(registry, "Erfinv", [](auto x) { return InverseErf(x); });
  AddUnary<FullFloatTypes, kCostly>(registry, "Ndtri", [](auto x) { return InverseNormal(x); });
}

}  // namespace rheo::ops
