// _FusedMatMul: a product of two matrices with bias, addend and activation.
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/fused/epilogue.h"
#include "rheo/ops/fused/kernels.h"
#include "rheo/ops/math/gemm.h"

namespace rheo::ops {
namespace {

template <typename T>
class FusedMatMulKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const kernel::KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(const Epilogue epilogue, EpilogueOf(init.attrs));
    RHEO_ASSIGN_OR_RETURN(const bool transpose_a, init.attrs.Get<bool>("transpose_a"));
    RHEO_ASSIGN_OR_RETURN(const bool transpose_b, init.attrs.Get<bool>("transpose_b"));
    return std::make_unique<FusedMatMulKernel>(epilogue, transpose_a, transpose_b);
  }
  FusedMatMulKernel(const Epilogue& epilogue, bool transpose_a, bool transpose_b)
      : epilogue_(epilogue), transpose_a_(transpose_a), transpose_b_(transpose_b) {}

  Status Compute(KernelContext& context) override {
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    RHEO_ASSIGN_OR_RETURN(const GemmShape s, GemmShapeOf(a, b, transpose_a_, transpose_b_));
    RHEO_ASSIGN_OR_RETURN(Tensor * out, context.AllocateOutput(0, Shape{s.m, s.n}));
    if (out->num_elements() > 0) {
      Gemm<T>(&context, s, a.flat<T>().data(), b.flat<T>().data(), out->mutable_flat<T>().data());
    }
    return ApplyEpilogue<T>(context, epilogue_, 2, *out);
  }
  bool IsExpensive() const override { return true; }

 private:
  const Epilogue epilogue_;
  const bool transpose_a_;
  const bool transpose_b_;
};

}  // namespace

void RegisterFusedMatMulKernels(kernel::KernelRegistry& registry) {
  ForEachType<TypeList<float, Half, Bfloat16>>([&]<typename T>() {
    registry.Add({.op = "_FusedMatMul",
                  .types = {{"T", {kDTypeOf<T>}}},
                  .factory = kernel::ClassKernel<FusedMatMulKernel<T>>()});
  });
}

}  // namespace rheo::ops
