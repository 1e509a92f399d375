// SparseSoftmaxCrossEntropyWithLogits: labels are class numbers.
#include <cmath>
#include <vector>

#include "rheo/ops/nn/kernels.h"
#include "rheo/ops/nn/softmax.h"

namespace rheo::ops {
namespace {

Status CheckShapes(const Shape& logits, const Shape& labels) {
  if (logits.rank() != 2) {
    return InvalidArgument("logits must be 2-D, but got shape {}", logits.ToString());
  }
  if (labels.rank() != 1) {
    return InvalidArgument("labels must be 1-D, but got shape {}", labels.ToString());
  }
  if (logits.dim(0) != labels.dim(0)) {
    return InvalidArgument(
        "logits and labels must have the same first dimension, got logits shape {} and labels "
        "shape {}",
        logits.ToString(), labels.ToString());
  }
  if (logits.dim(1) < 1) {
    return InvalidArgument("Must have at least one class, but got logits shape {}",
                           logits.ToString());
  }
  return OkStatus();
}

template <typename L>
Status CheckLabels(std::span<const L> labels, int64_t num_classes) {
  for (const L label : labels) {
    if (label < 0 || label >= num_classes) {
      return InvalidArgument(
          "Received a label value of {} which is outside the valid range of [0, {})", label,
          num_classes);
    }
  }
  return OkStatus();
}

template <typename T>
T LossRow(const T* logits, int64_t label, int64_t n, T* backprop, std::vector<Wide<T>>& scratch) {
  using W = Wide<T>;
  scratch.resize(static_cast<size_t>(2 * n));
  W* x = scratch.data();
  W* exps = x + n;
  std::copy_n(logits, n, x);
  const ShiftedExp<W> e = ExpRow(x, exps, n);
  const W scale = W(1) / e.sum;
  for (int64_t i = 0; i < n; ++i) backprop[i] = exps[i] * scale - (i == label ? W(1) : W(0));
  return std::log(e.sum) - (x[label] - e.largest);
}

template <typename T, typename L>
Status SparseCrossEntropy(KernelContext& context) {
  const Tensor& logits = context.input(0);
  RHEO_RETURN_IF_ERROR(CheckShapes(logits.shape(), context.input(1).shape()));
  const std::span<const L> labels = context.input(1).flat<L>();
  const int64_t n = logits.dim(1);
  RHEO_RETURN_IF_ERROR(CheckLabels(labels, n));
  const T* x = logits.flat<T>().data();
  RHEO_ASSIGN_OR_RETURN(Tensor * loss, context.AllocateOutput(0, Shape{logits.dim(0)}));
  RHEO_ASSIGN_OR_RETURN(Tensor * backprop, context.ForwardOrAllocateOutput({0}, 1, logits.shape()));
  T* losses = loss->mutable_flat<T>().data();
  T* gradients = backprop->mutable_flat<T>().data();
  context.ParallelFor(logits.dim(0), 20 + 4 * n, [&](int64_t begin, int64_t end) {
    std::vector<Wide<T>> scratch;
    for (int64_t r = begin; r < end; ++r) {
      losses[r] = LossRow(x + r * n, labels[static_cast<size_t>(r)], n, gradients + r * n, scratch);
    }
  });
  return OkStatus();
}

}  // namespace

void RegisterSparseCrossEntropyKernels(kernel::KernelRegistry& registry) {
  ForEachType<FloatTypes>([&]<typename T>() {
    ForEachType<IndexTypes>([&]<typename L>() {
      registry.Add({.op = "SparseSoftmaxCrossEntropyWithLogits",
                    .types = {{"T", {kDTypeOf<T>}}, {"Tlabels", {kDTypeOf<L>}}},
                    .factory = kernel::FunctionKernel(&SparseCrossEntropy<T, L>)});
    });
  });
}

}  // namespace rheo::ops
