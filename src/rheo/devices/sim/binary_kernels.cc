// Add, AddV2, Sub and Mul with broadcasting.
#include "rheo/devices/sim/kernel_memory.h"
#include "rheo/devices/sim/kernels.h"
#include "rheo/ops/common/arithmetic.h"
#include "rheo/ops/common/broadcast.h"
#include "rheo/ops/common/elementwise.h"

namespace rheo::devices::sim {
namespace {

using kernel::KernelContext;
using kernel::KernelInit;
using ops::BroadcastPlan;

template <typename T, typename F>
void ComputeRows(const BroadcastPlan& plan, const T* x, const T* y, T* out) {
  plan.ForEachRow(0, plan.num_rows(), [&](int64_t to, const BroadcastPlan::Offsets& from) {
    for (int64_t i = 0; i < plan.row_length(); ++i) {
      const T& a = x[from[0] + (plan.steps(0) ? i : 0)];
      const T& b = y[from[1] + (plan.steps(1) ? i : 0)];
      using W = ops::Wide<T>;
      out[to + i] = static_cast<T>(F{}(static_cast<W>(a), static_cast<W>(b)));
    }
  });
}

template <typename T, typename F>
class BinaryKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(const KernelMemory memory, KernelMemory::Of(init.device));
    return std::make_unique<BinaryKernel>(memory);
  }
  explicit BinaryKernel(KernelMemory memory) : memory_(memory) {}

  Status Compute(KernelContext& c) override {
    RHEO_ASSIGN_OR_RETURN(BroadcastPlan plan,
                          ops::PlanBroadcast({&c.input(0).shape(), &c.input(1).shape()}));
    RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, plan.output));
    c.step().device->stream()->Enqueue(
        [memory = memory_, plan = std::move(plan), x = c.input(0), y = c.input(1), out = *out] {
          ComputeRows<T, F>(plan, memory.At<T>(x), memory.At<T>(y), memory.At<T>(out));
        });
    return OkStatus();
  }

 private:
  const KernelMemory memory_;
};

template <typename F>
void AddBinary(kernel::KernelRegistry& registry, const char* op, F) {
  using Types = ops::TypeList<float, double, Half, Bfloat16, int64_t>;
  ops::ForEachType<Types>([&]<typename T>() {
    registry.Add({.op = op,
                  .device_type = "GPU",
                  .types = {{"T", {kDTypeOf<T>}}},
                  .factory = kernel::ClassKernel<BinaryKernel<T, F>>()});
  });
}

}  // namespace

void RegisterBinaryKernels(kernel::KernelRegistry& registry) {
  const auto add = [](auto a, auto b) { return ops::WrapAdd(a, b); };
  AddBinary(registry, "Add", add);
  AddBinary(registry, "AddV2", add);
  AddBinary(registry, "Sub", [](auto a, auto b) { return ops::WrapSub(a, b); });
  AddBinary(registry, "Mul", [](auto a, auto b) { return ops::WrapMul(a, b); });
}

}  // namespace rheo::devices::sim
