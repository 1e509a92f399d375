// Max, Min, All, Any.
#include "rheo/ops/common/arithmetic.h"
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/common/reduction.h"
#include "rheo/ops/math/kernels.h"

namespace rheo::ops {
namespace {

// A NaN among the elements is the result.
template <typename T, bool kLargest>
struct ExtremeOf {
  using Element = T;
  using Accumulator = Wide<T>;
  using A = Accumulator;
  static A Initial() { return kLargest ? Lowest<A>() : Highest<A>(); }
  static A Combine(A a, A b) {
    const bool keeps = kLargest ? a >= b : a <= b;
    if constexpr (std::is_floating_point_v<A>) return keeps || a != a ? a : b;
    return keeps ? a : b;
  }
  static A Row(const T* x, int64_t n) {
    constexpr int64_t kLanes = 8;
    A lanes[kLanes];
    std::fill_n(lanes, kLanes, Initial());
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      for (int64_t j = 0; j < kLanes; ++j) lanes[j] = Combine(lanes[j], static_cast<A>(x[i + j]));
    }
    A total = Initial();
    for (; i < n; ++i) total = Combine(total, static_cast<A>(x[i]));
    for (const A lane : lanes) total = Combine(total, lane);
    return total;
  }
  static A Add(A a, T x) { return Combine(a, static_cast<A>(x)); }
  static T Finish(A a, int64_t) { return static_cast<T>(a); }
};
template <typename T>
using MaxOf = ExtremeOf<T, true>;
template <typename T>
using MinOf = ExtremeOf<T, false>;

struct AllOf {
  using Element = bool;
  using Accumulator = bool;
  static bool Initial() { return true; }
  static bool Row(const bool* x, int64_t n) { return std::find(x, x + n, false) == x + n; }
  static bool Combine(bool a, bool b) { return a && b; }
  static bool Add(bool a, bool x) { return a && x; }
  static bool Finish(bool a, int64_t) { return a; }
};

struct AnyOf {
  using Element = bool;
  using Accumulator = bool;
  static bool Initial() { return false; }
  static bool Row(const bool* x, int64_t n) { return std::find(x, x + n, true) != x + n; }
  static bool Combine(bool a, bool b) { return a || b; }
  static bool Add(bool a, bool x) { return a || x; }
  static bool Finish(bool a, int64_t) { return a; }
};

template <template <typename> class R>
void AddExtreme(kernel::KernelRegistry& registry, std::string_view op) {
  ForEachType<RealTypes>([&]<typename T>() {
    registry.Add({.op = std::string(op),
                  .types = {{"T", {kDTypeOf<T>}}, {"Tidx", DTypesOf<IndexTypes>()}},
                  .host_memory_args = {"reduction_indices"},
                  .factory = ReductionFactory(ReductionLoopsOf<R<T>>::kLoops)});
  });
  AddDefaultRows(registry, op, ReductionFactory(ReductionLoopsOf<R<int32_t>>::kLoops));
}

template <typename R>
void AddBool(kernel::KernelRegistry& registry, std::string_view op) {
  registry.Add({.op = std::string(op),
                .types = {{"Tidx", DTypesOf<IndexTypes>()}},
                .host_memory_args = {"reduction_indices"},
                .factory = ReductionFactory(ReductionLoopsOf<R>::kLoops)});
}

}  // namespace

void RegisterExtremeKernels(kernel::KernelRegistry& registry) {
  AddExtreme<MaxOf>(registry, "Max");
  AddExtreme<MinOf>(registry, "Min");
  AddBool<AllOf>(registry, "All");
  AddBool<AnyOf>(registry, "Any");
}

}  // namespace rheo::ops
