// Drivers of element-by-element kernels. An operation is a function object without state:
//
//   AddUnary<FloatTypes>(registry, "Exp", [](auto x) { return std::exp(x); });
//   AddBinary<RealTypes>(registry, "Maximum", [](auto x, auto y) { return x < y ? y : x; });
//
// It computes Half and Bfloat16 as float. The drivers are compiled once; each operation and dtype
// adds only its inner loops.
#ifndef RHEO_OPS_COMMON_ELEMENTWISE_H_
#define RHEO_OPS_COMMON_ELEMENTWISE_H_

#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "rheo/kernel/kernel_context.h"
#include "rheo/kernel/kernel_registry.h"
#include "rheo/ops/common/table_kernels.h"
#include "rheo/ops/common/type_lists.h"

// Before a loop whose iterations are independent, although an output may be the very buffer of an
// input.
#if defined(__clang__)
#define RHEO_INDEPENDENT_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define RHEO_INDEPENDENT_LOOP _Pragma("GCC ivdep")
#endif

namespace rheo::ops {

using kernel::KernelContext;

// Calls body(begin, end) over [0, n) on the intra-op pool; on this thread alone when the work is
// small. `picoseconds` is the estimate for one element.
void ForElements(KernelContext& context, int64_t n, int64_t picoseconds,
                 absl::FunctionRef<void(int64_t, int64_t)> body);

// out[i] = f(in[i]) for i < n; `out` may be `in`.
using UnaryLoop = void (*)(const void* in, void* out, int64_t n);

struct UnaryLoops {
  UnaryLoop loop;
  size_t input_size;  // bytes of an element
  size_t output_size;
  int64_t picoseconds;
};

// Output 0 = f(input 0), taking over the input's buffer where that is possible.
Status RunUnary(KernelContext& context, const UnaryLoops& loops);

// out[i] = f(x[i], y[i]), f(x[0], y[i]) or f(x[i], y[0]) for i < n; `out` may be either input.
using BinaryLoop = void (*)(const void* x, const void* y, void* out, int64_t n);

struct BinaryLoops {
  BinaryLoop both;
  BinaryLoop scalar_x;
  BinaryLoop scalar_y;
  size_t input_size;
  size_t output_size;
  int64_t picoseconds;
};

// Output 0 = f(input 0, input 1) with broadcasting. INVALID_ARGUMENT when the shapes do not fit.
Status RunBinary(KernelContext& context, const BinaryLoops& loops);
// As RunBinary, with the inputs taken to have these shapes, of as many elements as they have; the
// output has the shape of the broadcast.
Status RunBinaryAs(KernelContext& context, const BinaryLoops& loops, const Shape& x,
                   const Shape& y);
// As RunBinary, but the shapes must be equal: INVALID_ARGUMENT otherwise.
Status RunBinarySameShape(KernelContext& context, const BinaryLoops& loops);

// The type that elements of T are computed in.
template <typename T>
struct WideType {
  using type = T;
};
template <>
struct WideType<Half> {
  using type = float;
};
template <>
struct WideType<Bfloat16> {
  using type = float;
};
template <typename T>
using Wide = typename WideType<T>::type;

template <typename F, typename In, typename Out>
void LoopUnary(const void* in, void* out, int64_t n) {
  const In* x = static_cast<const In*>(in);
  Out* z = static_cast<Out*>(out);
  RHEO_INDEPENDENT_LOOP
  for (int64_t i = 0; i < n; ++i) z[i] = static_cast<Out>(F{}(static_cast<const Wide<In>&>(x[i])));
}

template <typename F, typename In, typename Out, bool kStepX, bool kStepY>
void LoopBinary(const void* in_x, const void* in_y, void* out, int64_t n) {
  using W = Wide<In>;
  const In* x = static_cast<const In*>(in_x);
  const In* y = static_cast<const In*>(in_y);
  Out* z = static_cast<Out*>(out);
  if constexpr (!kStepX) {
    const W first = static_cast<const W&>(*x);
    RHEO_INDEPENDENT_LOOP
    for (int64_t i = 0; i < n; ++i) {
      z[i] = static_cast<Out>(F{}(first, static_cast<const W&>(y[i])));
    }
  } else if constexpr (!kStepY) {
    const W second = static_cast<const W&>(*y);
    RHEO_INDEPENDENT_LOOP
    for (int64_t i = 0; i < n; ++i) {
      z[i] = static_cast<Out>(F{}(static_cast<const W&>(x[i]), second));
    }
  } else {
    RHEO_INDEPENDENT_LOOP
    for (int64_t i = 0; i < n; ++i) {
      z[i] = static_cast<Out>(F{}(static_cast<const W&>(x[i]), static_cast<const W&>(y[i])));
    }
  }
}

// A guess of the time of one element of a simple operation, and of a function like exp.
inline constexpr int64_t kCheap = 500;
inline constexpr int64_t kCostly = 8000;

template <typename F, typename In, typename Out, int64_t kPicoseconds>
inline constexpr UnaryLoops kUnaryLoops = {&LoopUnary<F, In, Out>, sizeof(In), sizeof(Out),
                                           kPicoseconds};
template <typename F, typename In, typename Out, int64_t kPicoseconds>
inline constexpr BinaryLoops kBinaryLoops = {&LoopBinary<F, In, Out, true, true>,
                                             &LoopBinary<F, In, Out, false, true>,
                                             &LoopBinary<F, In, Out, true, false>,
                                             sizeof(In),
                                             sizeof(Out),
                                             kPicoseconds};

// ---- Kernels as plain functions
template <typename F, typename In, typename Out, int64_t kPicoseconds = kCheap>
Status UnaryKernel(KernelContext& context) {
  return RunUnary(context, kUnaryLoops<F, In, Out, kPicoseconds>);
}
template <typename F, typename In, typename Out, int64_t kPicoseconds = kCheap>
Status BinaryKernel(KernelContext& context) {
  return RunBinary(context, kBinaryLoops<F, In, Out, kPicoseconds>);
}
template <typename F, typename In, typename Out, int64_t kPicoseconds = kCheap>
Status SameShapeKernel(KernelContext& context) {
  return RunBinarySameShape(context, kBinaryLoops<F, In, Out, kPicoseconds>);
}

// ---- Registration; int32 also for other devices, in host memory, where TensorFlow has that
template <typename T>
void AddKernel(kernel::KernelRegistry& registry, std::string_view op, kernel::ComputeFn compute) {
  registry.Add({.op = std::string(op),
                .types = {{"T", {kDTypeOf<T>}}},
                .factory = kernel::FunctionKernel(compute)});
  if (std::is_same_v<T, int32_t>) AddDefaultRows(registry, op, kernel::FunctionKernel(compute));
}

// One kernel for each T of the list, whose output is a T.
template <typename List, int64_t kPicoseconds = kCheap, typename F>
void AddUnary(kernel::KernelRegistry& registry, std::string_view op, F) {
  ForEachType<List>(
      [&]<typename T>() { AddKernel<T>(registry, op, &UnaryKernel<F, T, T, kPicoseconds>); });
}
template <typename List, int64_t kPicoseconds = kCheap, typename F>
void AddBinary(kernel::KernelRegistry& registry, std::string_view op, F) {
  ForEachType<List>(
      [&]<typename T>() { AddKernel<T>(registry, op, &BinaryKernel<F, T, T, kPicoseconds>); });
}
// Without broadcasting.
template <typename List, int64_t kPicoseconds = kCheap, typename F>
void AddSameShape(kernel::KernelRegistry& registry, std::string_view op, F) {
  ForEachType<List>(
      [&]<typename T>() { AddKernel<T>(registry, op, &SameShapeKernel<F, T, T, kPicoseconds>); });
}
// One kernel for each T of the list, whose output is bool.
template <typename List, typename F>
void AddUnaryPredicate(kernel::KernelRegistry& registry, std::string_view op, F) {
  ForEachType<List>([&]<typename T>() { AddKernel<T>(registry, op, &UnaryKernel<F, T, bool>); });
}
template <typename List, typename F>
void AddBinaryPredicate(kernel::KernelRegistry& registry, std::string_view op, F) {
  ForEachType<List>([&]<typename T>() { AddKernel<T>(registry, op, &BinaryKernel<F, T, bool>); });
}

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_ELEMENTWISE_H_
