// LeakyRelu and its gradient, whose slope below zero is an attr.
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/nn/kernels.h"

namespace rheo::ops {
namespace {

// Output = slope · input 0, where the slope is 1 if the last input is positive, else alpha.
template <typename T>
class LeakyKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const kernel::KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(const float alpha, init.attrs.Get<float>("alpha"));
    return std::make_unique<LeakyKernel>(alpha);
  }
  explicit LeakyKernel(float alpha) : alpha_(static_cast<Wide<T>>(T(alpha))) {}

  Status Compute(KernelContext& context) override {
    const Tensor& x = context.input(0);
    const Tensor& feature = context.input(context.num_inputs() - 1);
    if (!(x.shape() == feature.shape())) {
      return InvalidArgument("inputs must have the same shape, not {} and {}", x.shape().ToString(),
                             feature.shape().ToString());
    }
    const T* f = feature.flat<T>().data();
    const T* in = x.flat<T>().data();
    RHEO_ASSIGN_OR_RETURN(Tensor * out, context.ForwardOrAllocateOutput({0}, 0, x.shape()));
    T* z = out->mutable_flat<T>().data();
    ForElements(context, out->num_elements(), kCheap, [&](int64_t begin, int64_t end) {
      RHEO_INDEPENDENT_LOOP
      for (int64_t i = begin; i < end; ++i) {
        const Wide<T> value = in[i];
        z[i] = static_cast<Wide<T>>(f[i]) > 0 ? value : alpha_ * value;
      }
    });
    return OkStatus();
  }

 private:
  const Wide<T> alpha_;
};

}  // namespace

void RegisterLeakyReluKernels(kernel::KernelRegistry& registry) {
  ForEachType<FloatTypes>([&]<typename T>() {
    for (const char* op : {"LeakyRelu", "LeakyReluGrad"}) {
      registry.Add({.op = op,
                    .types = {{"T", {kDTypeOf<T>}}},
                    .factory = kernel::ClassKernel<LeakyKernel<T>>()});
    }
  });
}

}  // namespace rheo::ops
