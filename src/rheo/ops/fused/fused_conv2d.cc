// _FusedConv2D: a convolution with bias or normalization, addend and activation.
#include "rheo/ops/common/type_lists.h"
#include "rheo/ops/fused/epilogue.h"
#include "rheo/ops/fused/kernels.h"
#include "rheo/ops/nn/conv2d.h"

namespace rheo::ops {
namespace {

template <typename T>
class FusedConv2DKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const kernel::KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(const Epilogue epilogue, EpilogueOf(init.attrs));
    RHEO_ASSIGN_OR_RETURN(const Conv2DOptions options, Conv2DOptionsOf(init.attrs));
    if (init.attrs.GetOr<int64_t>("num_host_args", 0) != 0) {
      return Unimplemented("quantized fusions are not supported");
    }
    for (DType type : init.attrs.GetOr<std::vector<DType>>("TArgs", {})) {
      if (type != kDTypeOf<T>) {
        return Unimplemented("arguments of {} to a convolution of {}", DTypeName(type),
                             DTypeName(kDTypeOf<T>));
      }
    }
    return std::make_unique<FusedConv2DKernel>(epilogue, options);
  }
  FusedConv2DKernel(const Epilogue& epilogue, const Conv2DOptions& options)
      : epilogue_(epilogue), options_(options) {}

  Status Compute(kernel::KernelContext& context) override {
    RHEO_ASSIGN_OR_RETURN(Tensor * product, ConvolveInputs<T>(context, options_));
    return ApplyEpilogue<T>(context, epilogue_, 2, *product);
  }
  bool IsExpensive() const override { return true; }

 private:
  const Epilogue epilogue_;
  const Conv2DOptions options_;
};

}  // namespace

void RegisterFusedConv2DKernels(kernel::KernelRegistry& registry) {
  ForEachType<FloatTypes>([&]<typename T>() {
    registry.Add({.op = "_FusedConv2D",
                  .types = {{"T", {kDTypeOf<T>}}},
                  .factory = kernel::ClassKernel<FusedConv2DKernel<T>>()});
  });
}

}  // namespace rheo::ops
