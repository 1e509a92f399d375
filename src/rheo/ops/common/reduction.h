// Reductions of a tensor over some of its axes. A reducer is a struct over the element type:
//
//   struct Sum {
//     using Element = float;
//     using Accumulator = float;
//     static Accumulator Initial();
//     static Accumulator Row(const Element* row, int64_t n);              // n >= 1
//     static Accumulator Combine(Accumulator a, Accumulator b);
//     static Accumulator Add(Accumulator a, Element x);
//     static Element Finish(Accumulator a, int64_t count);                // count of elements
//   };
//
// The driver is compiled once; each reducer adds only its inner loops.
#ifndef RHEO_OPS_COMMON_REDUCTION_H_
#define RHEO_OPS_COMMON_REDUCTION_H_

#include <algorithm>
#include <memory>

#include "rheo/kernel/kernel.h"
#include "rheo/kernel/kernel_context.h"

namespace rheo::ops {

// A set of offsets: all sums of index[i] * strides[i] with 0 <= index[i] < dims[i].
struct StridedSet {
  Dims dims;
  Dims strides;

  int64_t count() const;
  // The offset of the i-th member, the last dimension running fastest.
  int64_t offset(int64_t i) const;
  template <typename F>
  void ForEach(F&& f) const;
};

// The input as alternating kept and reduced dimensions; neighbours of the same kind are merged.
struct ReductionPlan {
  Shape output;        // with the reduced axes as 1 or gone
  StridedSet kept;     // without `row` when the row is kept
  StridedSet reduced;  // without `row` when the row is reduced
  int64_t row = 1;     // length of the innermost dimension
  bool row_is_reduced = false;
  int64_t num_reduced = 1;  // elements that make one output
};

// `axes` is an int32 or int64 tensor of any shape, negative counting from the end. INVALID_ARGUMENT
// for an axis out of range or given twice.
StatusOr<ReductionPlan> PlanReduction(const Shape& input, const Tensor& axes, bool keep_dims);
StatusOr<ReductionPlan> PlanReduction(const Shape& input, std::span<const int64_t> axes,
                                      bool keep_dims);

// How many neighbouring outputs one call of `columns` makes at most.
inline constexpr int64_t kMaxColumns = 256;
// Elements per partial result of a reduction to one value.
inline constexpr int64_t kPartialLength = 16384;

struct ReductionLoops {
  // One output from rows of length n at in + each member of `reduced`.
  void (*rows)(const void* in, const StridedSet& reduced, int64_t n, int64_t count, void* out);
  // `width` outputs, one per column, from rows of that length.
  void (*columns)(const void* in, const StridedSet& reduced, int64_t width, int64_t count,
                  void* out);
  // accumulator = row of length n.
  void (*partial)(const void* in, int64_t n, void* accumulator);
  // One output from accumulators.
  void (*combine)(const void* accumulators, int64_t num, int64_t count, void* out);
  size_t input_size;
  size_t output_size;
  size_t accumulator_size;  // <= 16
};

// Output 0 = the reduction of input 0 by `plan`.
Status RunReduction(kernel::KernelContext& context, const ReductionLoops& loops,
                    const ReductionPlan& plan);

// Input 1 holds the axes.
class ReductionKernel final : public kernel::Kernel {
 public:
  ReductionKernel(const ReductionLoops& loops, bool keep_dims)
      : loops_(loops), keep_dims_(keep_dims) {}
  Status Compute(kernel::KernelContext& context) override;

 private:
  const ReductionLoops& loops_;
  const bool keep_dims_;
};
// `loops` must be a constant.
kernel::KernelFactory ReductionFactory(const ReductionLoops& loops);

// ---- Implementation of templates

template <typename F>
void StridedSet::ForEach(F&& f) const {
  const int64_t inner = dims.empty() ? 1 : dims.back();
  const int64_t step = dims.empty() ? 0 : strides.back();
  const int64_t n = count();
  for (int64_t i = 0; i < n; i += inner) {
    const int64_t base = offset(i);
    for (int64_t j = 0; j < inner; ++j) f(base + j * step);
  }
}

template <typename R>
struct ReductionLoopsOf {
  using T = typename R::Element;
  using A = typename R::Accumulator;

  static void Rows(const void* in, const StridedSet& reduced, int64_t n, int64_t count, void* out) {
    const T* x = static_cast<const T*>(in);
    A total = R::Initial();
    if (count > 0) {
      reduced.ForEach([&](int64_t at) { total = R::Combine(total, R::Row(x + at, n)); });
    }
    *static_cast<T*>(out) = R::Finish(total, count);
  }
  static void Columns(const void* in, const StridedSet& reduced, int64_t width, int64_t count,
                      void* out) {
    const T* x = static_cast<const T*>(in);
    A totals[kMaxColumns];
    std::fill_n(totals, width, R::Initial());
    reduced.ForEach([&](int64_t at) {
      const T* row = x + at;
      for (int64_t j = 0; j < width; ++j) totals[j] = R::Add(totals[j], row[j]);
    });
    T* z = static_cast<T*>(out);
    for (int64_t j = 0; j < width; ++j) z[j] = R::Finish(totals[j], count);
  }
  static void Partial(const void* in, int64_t n, void* accumulator) {
    *static_cast<A*>(accumulator) = R::Row(static_cast<const T*>(in), n);
  }
  static void CombineAll(const void* accumulators, int64_t num, int64_t count, void* out) {
    const A* a = static_cast<const A*>(accumulators);
    A total = R::Initial();
    for (int64_t i = 0; i < num; ++i) total = R::Combine(total, a[i]);
    *static_cast<T*>(out) = R::Finish(total, count);
  }

  static constexpr ReductionLoops kLoops = {&Rows,     &Columns,  &Partial, &CombineAll,
                                            sizeof(T), sizeof(T), sizeof(A)};
};

// Sums of floating elements by halves, so that the error grows with the logarithm of n; `Term` maps
// an element to what is added.
template <typename A, typename T, typename Term>
A PairwiseSum(const T* x, int64_t n, Term term) {
  constexpr int64_t kLeaf = 1024;
  constexpr int64_t kLanes = 16;
  if (n > kLeaf) {
    const int64_t half = (n / 2 + kLanes - 1) / kLanes * kLanes;
    return PairwiseSum<A>(x, half, term) + PairwiseSum<A>(x + half, n - half, term);
  }
  A lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t j = 0; j < kLanes; ++j) lanes[j] += term(x[i + j]);
  }
  A total = A();
  for (; i < n; ++i) total += term(x[i]);
  for (int64_t width = kLanes / 2; width > 0; width /= 2) {
    for (int64_t j = 0; j < width; ++j) lanes[j] += lanes[j + width];
  }
  return total + lanes[0];
}

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_REDUCTION_H_
