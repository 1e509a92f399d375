// MatMul of two matrices.
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/math/gemm.h"
#include "rheo/ops/math/kernels.h"

namespace rheo::ops {
namespace {

template <typename T>
class MatMulKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const kernel::KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(const bool transpose_a, init.attrs.Get<bool>("transpose_a"));
    RHEO_ASSIGN_OR_RETURN(const bool transpose_b, init.attrs.Get<bool>("transpose_b"));
    return std::make_unique<MatMulKernel>(transpose_a, transpose_b);
  }
  MatMulKernel(bool transpose_a, bool transpose_b)
      : transpose_a_(transpose_a), transpose_b_(transpose_b) {}

  Status Compute(KernelContext& context) override {
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    RHEO_ASSIGN_OR_RETURN(const GemmShape s, GemmShapeOf(a, b, transpose_a_, transpose_b_));
    RHEO_ASSIGN_OR_RETURN(Tensor * out, context.AllocateOutput(0, Shape{s.m, s.n}));
    if (out->num_elements() > 0) {
      Gemm<T>(&context, s, a.flat<T>().data(), b.flat<T>().data(), out->mutable_flat<T>().data());
    }
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }

 private:
  const bool transpose_a_;
  const bool transpose_b_;
};

}  // namespace

void RegisterMatMulKernels(kernel::KernelRegistry& registry) {
  using Elements = TypeList<float, double, Half, Bfloat16, int16_t, int32_t, int64_t,
                            std::complex<float>, std::complex<double>>;
  ForEachType<Elements>([&]<typename T>() {
    registry.Add({.op = "MatMul",
                  .types = {{"T", {kDTypeOf<T>}}},
                  .factory = kernel::ClassKernel<MatMulKernel<T>>()});
  });
}

}  // namespace rheo::ops
