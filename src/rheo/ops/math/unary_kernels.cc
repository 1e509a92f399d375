// Functions of one number that exist for complex numbers too.
#include <cmath>

#include "rheo/ops/common/arithmetic.h"
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/common/fast_math.h"
#include "rheo/ops/math/kernels.h"

namespace rheo::ops {
namespace {

using SignedTypes = TypeList<float, double, Half, Bfloat16, int8_t, int16_t, int32_t, int64_t,
                             std::complex<float>, std::complex<double>>;

struct SignOf {
  template <typename T>
  T operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      return x == T(0) ? T(0) : x / std::abs(x);
    } else if constexpr (std::is_floating_point_v<T>) {
      return x > 0 ? T(1) : x < 0 ? T(-1) : x;
    } else {
      return static_cast<T>((x > 0) - (x < 0));
    }
  }
};

struct Expm1Of {
  template <typename T>
  T operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      // exp(a + ib) - 1 without cancellation: (e^a - 1) cos b - 2 sin²(b/2) + i e^a sin b.
      using R = typename T::value_type;
      const R grown = std::expm1(x.real());
      const R half = std::sin(x.imag() / 2);
      return T(grown * std::cos(x.imag()) - 2 * half * half,
               std::exp(x.real()) * std::sin(x.imag()));
    } else {
      return std::expm1(x);
    }
  }
};

struct Log1pOf {
  template <typename T>
  T operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      // log|1 + x| from |1 + x|² - 1 = a (2 + a) + b².
      using R = typename T::value_type;
      const R a = x.real();
      const R b = x.imag();
      return T(std::log1p(a * (2 + a) + b * b) / 2, std::atan2(b, 1 + a));
    } else {
      return std::log1p(x);
    }
  }
};

struct RsqrtOf {
  template <typename T>
  T operator()(T x) const {
    return T(1) / std::sqrt(x);
  }
};

struct ReciprocalOf {
  template <typename T>
  T operator()(T x) const {
    return T(1) / x;
  }
};

// A function that vectorizes for what is computed as float.
template <typename F>
void AddFast(kernel::KernelRegistry& registry, std::string_view op, F f) {
  AddUnary<TypeList<float, Half, Bfloat16>, 800>(registry, op, f);
  AddUnary<TypeList<double, std::complex<float>, std::complex<double>>, kCostly>(registry, op, f);
}

}  // namespace

void RegisterUnaryKernels(kernel::KernelRegistry& registry) {
  using List = FloatComplexTypes;
  AddFast(registry, "Exp", [](auto x) { return FastExp(x); });
  AddUnary<List, kCostly>(registry, "Expm1", Expm1Of());
  AddUnary<List, kCostly>(registry, "Log", [](auto x) { return std::log(x); });
  AddUnary<List, kCostly>(registry, "Log1p", Log1pOf());
  AddUnary<List>(registry, "Sqrt", [](auto x) { return std::sqrt(x); });
  AddUnary<List>(registry, "Rsqrt", RsqrtOf());
  AddUnary<List>(registry, "Reciprocal", ReciprocalOf());
  AddUnary<List>(registry, "Inv", ReciprocalOf());
  AddFast(registry, "Sigmoid", [](auto x) { return FastSigmoid(x); });
  AddFast(registry, "Tanh", [](auto x) { return FastTanh(x); });
  AddUnary<SignedTypes>(registry, "Neg", [](auto x) { return WrapNeg(x); });
  AddUnary<SignedTypes>(registry, "Sign", SignOf());
  AddUnary<NumberTypes>(registry, "Square", [](auto x) { return WrapMul(x, x); });
}

}  // namespace rheo::ops
