// MatMul of two matrices.
#include "rheo/devices/sim/kernel_memory.h"
#include "rheo/devices/sim/kernels.h"
#include "rheo/ops/common/type_lists.h"
#include "rheo/ops/math/gemm.h"

namespace rheo::devices::sim {
namespace {

using kernel::KernelContext;
using kernel::KernelInit;

template <typename T>
class MatMulKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(const KernelMemory memory, KernelMemory::Of(init.device));
    RHEO_ASSIGN_OR_RETURN(const bool transpose_a, init.attrs.Get<bool>("transpose_a"));
    RHEO_ASSIGN_OR_RETURN(const bool transpose_b, init.attrs.Get<bool>("transpose_b"));
    return std::make_unique<MatMulKernel>(memory, transpose_a, transpose_b);
  }
  MatMulKernel(KernelMemory memory, bool transpose_a, bool transpose_b)
      : memory_(memory), transpose_a_(transpose_a), transpose_b_(transpose_b) {}

  Status Compute(KernelContext& c) override {
    RHEO_ASSIGN_OR_RETURN(const ops::GemmShape shape,
                          ops::GemmShapeOf(c.input(0), c.input(1), transpose_a_, transpose_b_));
    RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, Shape{shape.m, shape.n}));
    c.step().device->stream()->Enqueue(
        [memory = memory_, shape, a = c.input(0), b = c.input(1), out = *out] {
          if (out.num_elements() == 0) return;
          ops::Gemm<T>(nullptr, shape, memory.At<T>(a), memory.At<T>(b), memory.At<T>(out));
        });
    return OkStatus();
  }

 private:
  const KernelMemory memory_;
  const bool transpose_a_;
  const bool transpose_b_;
};

}  // namespace

void RegisterMatMulKernels(kernel::KernelRegistry& registry) {
  ops::ForEachType<ops::FloatTypes>([&]<typename T>() {
    registry.Add({.op = "MatMul",
                  .device_type = "GPU",
                  .types = {{"T", {kDTypeOf<T>}}},
                  .factory = kernel::ClassKernel<MatMulKernel<T>>()});
  });
}

}  // namespace rheo::devices::sim
