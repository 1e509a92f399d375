// Conv2D without its gradients.
#include "rheo/ops/nn/conv2d.h"
#include "rheo/ops/nn/kernels.h"

namespace rheo::ops {
namespace {

template <typename T>
class Conv2DKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const kernel::KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(const Conv2DOptions options, Conv2DOptionsOf(init.attrs));
    return std::make_unique<Conv2DKernel>(options);
  }
  explicit Conv2DKernel(const Conv2DOptions& options) : options_(options) {}

  Status Compute(kernel::KernelContext& context) override {
    return ConvolveInputs<T>(context, options_).status();
  }
  bool IsExpensive() const override { return true; }

 private:
  const Conv2DOptions options_;
};

}  // namespace

void RegisterConv2DKernels(kernel::KernelRegistry& registry) {
  ForEachType<FloatTypes>([&]<typename T>() {
    registry.Add({.op = "Conv2D",
                  .types = {{"T", {kDTypeOf<T>}}},
                  .factory = kernel::ClassKernel<Conv2DKernel<T>>()});
  });
}

}  // namespace rheo::ops
