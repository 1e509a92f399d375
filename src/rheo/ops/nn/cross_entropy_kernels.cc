// SoftmaxCrossEntropyWithLogits: the loss of each row and the gradient by the logits at once.
#include <cmath>
#include <vector>

#include "rheo/ops/common/broadcast.h"
#include "rheo/ops/nn/kernels.h"
#include "rheo/ops/nn/softmax.h"

namespace rheo::ops {
namespace {

// Where the elements of one operand lie in the common rows × classes shape.
template <typename T>
struct Operand {
  const T* data;
  int64_t row_step;
  int64_t step;

  const T& at(int64_t row, int64_t i) const { return data[row * row_step + i * step]; }
};

template <typename T>
Operand<T> OperandOf(const Tensor& t, const Shape& common) {
  const int64_t columns = t.rank() >= 1 ? t.dim(t.rank() - 1) : 1;
  const int64_t rows = t.rank() >= 2 ? t.dim(t.rank() - 2) : 1;
  return {t.flat<T>().data(), rows == 1 && common.dim(0) != 1 ? 0 : columns,
          columns == 1 && common.dim(1) != 1 ? 0 : 1};
}

template <typename T>
void LossRow(const Operand<T>& logits, const Operand<T>& labels, int64_t row, int64_t n, T* loss,
             T* backprop, std::vector<Wide<T>>& scratch) {
  using W = Wide<T>;
  scratch.resize(static_cast<size_t>(2 * n));
  W* x = scratch.data();
  W* exps = x + n;
  for (int64_t i = 0; i < n; ++i) x[i] = logits.at(row, i);
  const ShiftedExp<W> e = ExpRow(x, exps, n);
  const W log_sum = std::log(e.sum);
  W total = 0;
  for (int64_t i = 0; i < n; ++i) {
    const W label = labels.at(row, i);
    total += label * (log_sum - (x[i] - e.largest));
    backprop[i] = exps[i] / e.sum - label;
  }
  *loss = total;
}

template <typename T>
Status CrossEntropy(KernelContext& context) {
  const Tensor& logits = context.input(0);
  const Tensor& labels = context.input(1);
  const StatusOr<Shape> shape = BroadcastShape(logits.shape(), labels.shape());
  if (!shape.ok()) {
    return InvalidArgument("logits and labels must be broadcastable: logits_size={} labels_size={}",
                           logits.shape().ToString(), labels.shape().ToString());
  }
  if (shape->rank() != 2) {
    return InvalidArgument(
        "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional, not "
        "{}",
        shape->ToString());
  }
  const int64_t rows = shape->dim(0);
  const int64_t n = shape->dim(1);
  if (rows > 0 && n == 0) {
    return InvalidArgument("Must have at least one class, but got logits shape {}",
                           shape->ToString());
  }
  RHEO_ASSIGN_OR_RETURN(Tensor * loss, context.AllocateOutput(0, Shape{rows}));
  RHEO_ASSIGN_OR_RETURN(Tensor * backprop, context.AllocateOutput(1, *shape));
  T* losses = loss->mutable_flat<T>().data();
  T* gradients = backprop->mutable_flat<T>().data();
  const Operand<T> x = OperandOf<T>(logits, *shape);
  const Operand<T> y = OperandOf<T>(labels, *shape);
  context.ParallelFor(rows, 20 + 6 * n, [&](int64_t begin, int64_t end) {
    std::vector<Wide<T>> scratch;
    for (int64_t r = begin; r < end; ++r) {
      LossRow(x, y, r, n, losses + r, gradients + r * n, scratch);
    }
  });
  return OkStatus();
}

}  // namespace

void RegisterCrossEntropyKernels(kernel::KernelRegistry& registry) {
  ForEachType<FloatTypes>([&]<typename T>() {
    AddKernel<T>(registry, "SoftmaxCrossEntropyWithLogits", &CrossEntropy<T>);
  });
}

}  // namespace rheo::ops
