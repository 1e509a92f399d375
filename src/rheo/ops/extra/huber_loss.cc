// HuberLoss: the error of each prediction, squared where it is small and linear where it is large
// (Huber, "Robust estimation of a location parameter", 1964). With e = prediction - label:
//
//   loss = e² / 2                   where |e| ≤ delta
//   loss = delta · (|e| - delta/2)  elsewhere
#include <algorithm>
#include <cmath>
#include <memory>

#include "rheo/op/shape_context.h"
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/extra/extra_ops.h"

namespace rheo::ops {
namespace {

constexpr std::string_view kSignature =
    "HuberLoss\tpredictions:T; labels:T\tloss:T\tT:type{half,bfloat16,float,double}; "
    "delta:float=1.0\t";

// The loss has the shape of both inputs, as far as it is known.
Status HuberLossShape(op::ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, c.input(0).Merge(c.input(1)));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

template <typename T>
class HuberLossKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const kernel::KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(const float delta, init.attrs.Get<float>("delta"));
    if (!(delta > 0)) return InvalidArgument("delta must be greater than 0, not {}", delta);
    return std::make_unique<HuberLossKernel>(delta);
  }
  explicit HuberLossKernel(float delta) : delta_(delta) {}

  Status Compute(KernelContext& context) override {
    const Tensor& predictions = context.input(0);
    const Tensor& labels = context.input(1);
    if (!(predictions.shape() == labels.shape())) {
      return InvalidArgument("predictions and labels must have the same shape, not {} and {}",
                             predictions.shape().ToString(), labels.shape().ToString());
    }
    const T* p = predictions.flat<T>().data();
    const T* l = labels.flat<T>().data();
    RHEO_ASSIGN_OR_RETURN(Tensor * out,
                          context.ForwardOrAllocateOutput({0, 1}, 0, predictions.shape()));
    T* loss = out->mutable_flat<T>().data();
    ForElements(context, out->num_elements(), kCheap, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Wide<T> error = std::abs(static_cast<Wide<T>>(p[i]) - static_cast<Wide<T>>(l[i]));
        const Wide<T> squared = std::min(error, delta_);
        loss[i] = static_cast<T>(squared * (error - squared / 2));
      }
    });
    return OkStatus();
  }

 private:
  const Wide<T> delta_;
};

void AddHuberLossKernels(kernel::KernelRegistry& registry) {
  ForEachType<FloatTypes>([&]<typename T>() {
    registry.Add({.op = "HuberLoss",
                  .types = {{"T", {kDTypeOf<T>}}},
                  .factory = kernel::ClassKernel<HuberLossKernel<T>>()});
  });
}

// The error, cut off at ±delta.
std::vector<Output> HuberLossGrad(const GradientBuilder& b) {
  const float delta = b.attrs().GetOr<float>("delta", 1.0f);
  const Output error = b.Sub(b.x(0), b.x(1));
  const Output slope =
      b.Op("ClipByValue", {error, b.Number(-delta, error), b.Number(delta, error)});
  const Output grad = b.Mul(b.grad(), slope);
  return {grad, b.Neg(grad)};
}

}  // namespace

ExtraOp HuberLossOp() {
  return {.signature = kSignature,
          .shape = &HuberLossShape,
          .add_kernels = &AddHuberLossKernels,
          .gradient = &HuberLossGrad};
}

}  // namespace rheo::ops
