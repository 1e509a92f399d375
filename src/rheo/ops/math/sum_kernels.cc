// Sum, Mean, Prod, EuclideanNorm.
#include <cmath>

#include "rheo/ops/common/arithmetic.h"
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/common/reduction.h"
#include "rheo/ops/math/cast.h"
#include "rheo/ops/math/kernels.h"

namespace rheo::ops {
namespace {

template <typename A, typename T, typename Term>
A SumRow(const T* x, int64_t n, Term term) {
  if constexpr (std::is_integral_v<A>) {
    A total = 0;
    for (int64_t i = 0; i < n; ++i) total = WrapAdd<A>(total, term(x[i]));
    return total;
  } else {
    return PairwiseSum<A>(x, n, term);
  }
}

// Half and Bfloat16 are summed as float.
template <typename T>
struct SumOf {
  using Element = T;
  using Accumulator = Wide<T>;
  using A = Accumulator;
  static A Initial() { return A(0); }
  static A Row(const T* x, int64_t n) {
    return SumRow<A>(x, n, [](const T& v) { return static_cast<A>(v); });
  }
  static A Combine(A a, A b) { return WrapAdd(a, b); }
  static A Add(A a, T x) { return WrapAdd<A>(a, static_cast<A>(x)); }
  static T Finish(A a, int64_t) { return static_cast<T>(a); }
};

template <typename T>
struct MeanAccumulator {
  using type = Wide<T>;
};
template <std::signed_integral T>
struct MeanAccumulator<T> {
  using type = int64_t;
};
template <std::unsigned_integral T>
struct MeanAccumulator<T> {
  using type = uint64_t;
};

// Integers: the sum in 64 bits, divided and cut towards zero. Of nothing: 0, and NaN for real
// floating types.
template <typename T>
struct MeanOf {
  using Element = T;
  using Accumulator = typename MeanAccumulator<T>::type;
  using A = Accumulator;
  static A Initial() { return A(0); }
  static A Row(const T* x, int64_t n) {
    return SumRow<A>(x, n, [](const T& v) { return static_cast<A>(v); });
  }
  static A Combine(A a, A b) { return WrapAdd(a, b); }
  static A Add(A a, T x) { return WrapAdd<A>(a, static_cast<A>(x)); }
  static T Finish(A a, int64_t count) {
    if constexpr (std::is_integral_v<T>) {
      return count == 0 ? T(0) : static_cast<T>(a / static_cast<A>(count));
    } else if constexpr (kIsComplex<T>) {
      return count == 0 ? T(0) : a / static_cast<typename T::value_type>(count);
    } else {
      return static_cast<T>(a / static_cast<A>(count));
    }
  }
};

template <typename T>
struct ProdOf {
  using Element = T;
  using Accumulator = Wide<T>;
  using A = Accumulator;
  static A Initial() { return A(1); }
  static A Row(const T* x, int64_t n) {
    A total = A(1);
    for (int64_t i = 0; i < n; ++i) total = WrapMul<A>(total, static_cast<A>(x[i]));
    return total;
  }
  static A Combine(A a, A b) { return WrapMul(a, b); }
  static A Add(A a, T x) { return WrapMul<A>(a, static_cast<A>(x)); }
  static T Finish(A a, int64_t) { return static_cast<T>(a); }
};

template <typename T>
struct NormOf {
  using Element = T;
  using Accumulator = Wide<T>;
  using A = Accumulator;
  static A Squared(const T& x) {
    const A v = static_cast<A>(x);
    return WrapMul<A>(v, Conjugate(v));
  }
  static A Initial() { return A(0); }
  static A Row(const T* x, int64_t n) { return SumRow<A>(x, n, &Squared); }
  static A Combine(A a, A b) { return WrapAdd(a, b); }
  static A Add(A a, T x) { return WrapAdd<A>(a, Squared(x)); }
  static T Finish(A a, int64_t) {
    if constexpr (std::is_integral_v<T>) {
      return FloatToInteger<T>(std::sqrt(static_cast<double>(a)));  // `a` may have wrapped
    } else {
      return static_cast<T>(std::sqrt(a));
    }
  }
};

template <template <typename> class R, typename List>
void AddReduction(kernel::KernelRegistry& registry, std::string_view op) {
  ForEachType<List>([&]<typename T>() {
    registry.Add({.op = std::string(op),
                  .types = {{"T", {kDTypeOf<T>}}, {"Tidx", DTypesOf<IndexTypes>()}},
                  .host_memory_args = {"reduction_indices"},
                  .factory = ReductionFactory(ReductionLoopsOf<R<T>>::kLoops)});
  });
}

}  // namespace

void RegisterSumKernels(kernel::KernelRegistry& registry) {
  AddReduction<SumOf, NumberTypes>(registry, "Sum");
  AddReduction<MeanOf, NumberTypes>(registry, "Mean");
  AddReduction<ProdOf, NumberTypes>(registry, "Prod");
  AddReduction<NormOf, NumberTypes>(registry, "EuclideanNorm");
}

}  // namespace rheo::ops
