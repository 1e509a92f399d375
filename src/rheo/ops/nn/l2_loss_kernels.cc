// L2Loss: half the sum of squares.
#include <numeric>

#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/common/reduction.h"
#include "rheo/ops/nn/kernels.h"

namespace rheo::ops {
namespace {

template <typename T>
struct HalfSumOfSquares {
  using Element = T;
  using Accumulator = Wide<T>;
  using A = Accumulator;
  static A Squared(const T& x) {
    const A v = static_cast<A>(x);
    return v * v;
  }
  static A Initial() { return A(0); }
  static A Row(const T* x, int64_t n) { return PairwiseSum<A>(x, n, &Squared); }
  static A Combine(A a, A b) { return a + b; }
  static A Add(A a, T x) { return a + Squared(x); }
  static T Finish(A a, int64_t) { return static_cast<T>(a / 2); }
};

template <typename T>
Status L2Loss(KernelContext& context) {
  std::vector<int64_t> axes(static_cast<size_t>(context.input(0).rank()));
  std::iota(axes.begin(), axes.end(), 0);
  RHEO_ASSIGN_OR_RETURN(const ReductionPlan plan,
                        PlanReduction(context.input(0).shape(), axes, false));
  return RunReduction(context, ReductionLoopsOf<HalfSumOfSquares<T>>::kLoops, plan);
}

}  // namespace

void RegisterL2LossKernels(kernel::KernelRegistry& registry) {
  ForEachType<FloatTypes>([&]<typename T>() { AddKernel<T>(registry, "L2Loss", &L2Loss<T>); });
}

}  // namespace rheo::ops
