// Softmax and LogSoftmax over the last dimension.
#include <cmath>
#include <vector>

#include "rheo/ops/nn/kernels.h"
#include "rheo/ops/nn/softmax.h"

namespace rheo::ops {
namespace {

template <typename T, bool kLog>
void SoftmaxRow(const T* x, T* z, int64_t n, std::vector<Wide<T>>& scratch) {
  using W = Wide<T>;
  scratch.resize(static_cast<size_t>(2 * n));
  W* wide = scratch.data();
  W* exps = wide + n;
  std::copy_n(x, n, wide);
  const ShiftedExp<W> e = ExpRow(wide, exps, n);
  if constexpr (kLog) {
    const W shift = e.largest;
    const W log_sum = std::log(e.sum);
    for (int64_t i = 0; i < n; ++i) z[i] = (wide[i] - shift) - log_sum;
  } else {
    const W scale = W(1) / e.sum;
    for (int64_t i = 0; i < n; ++i) z[i] = exps[i] * scale;
  }
}

template <typename T, bool kLog>
Status Softmax(KernelContext& context) {
  const Tensor& logits = context.input(0);
  if (logits.rank() < 1) {
    return InvalidArgument("logits must have >= 1 dimension, got {}", logits.shape().ToString());
  }
  const int64_t n = logits.dim(logits.rank() - 1);
  const T* x = logits.flat<T>().data();
  RHEO_ASSIGN_OR_RETURN(Tensor * out, context.ForwardOrAllocateOutput({0}, 0, logits.shape()));
  if (out->num_elements() == 0) return OkStatus();
  T* z = out->mutable_flat<T>().data();
  context.ParallelFor(out->num_elements() / n, 20 + 4 * n, [&](int64_t begin, int64_t end) {
    std::vector<Wide<T>> scratch;
    for (int64_t r = begin; r < end; ++r) SoftmaxRow<T, kLog>(x + r * n, z + r * n, n, scratch);
  });
  return OkStatus();
}

}  // namespace

void RegisterSoftmaxKernels(kernel::KernelRegistry& registry) {
  ForEachType<FloatTypes>([&]<typename T>() {
    AddKernel<T>(registry, "Softmax", &Softmax<T, false>);
    AddKernel<T>(registry, "LogSoftmax", &Softmax<T, true>);
  });
}

}  // namespace rheo::ops
