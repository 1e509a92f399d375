// Updates of resource variables on the device. Each writes a fresh buffer, which then is the
// variable's: whoever read it before keeps the old one.
#include <utility>

#include "rheo/devices/sim/kernel_memory.h"
#include "rheo/devices/sim/kernels.h"
#include "rheo/ops/common/arithmetic.h"
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/common/stored_tensor.h"

namespace rheo::devices::sim {
namespace {

using kernel::KernelContext;
using kernel::KernelInit;

// variable = F(variable, inputs 1 …): each a scalar, or of the variable's shape.
template <typename T, typename F>
class UpdateKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(const KernelMemory memory, KernelMemory::Of(init.device));
    return std::make_unique<UpdateKernel>(memory);
  }
  explicit UpdateKernel(KernelMemory memory) : memory_(memory) {}

  Status Compute(KernelContext& c) override {
    RHEO_ASSIGN_OR_RETURN(const ops::StoredTensor variable, ops::FindStored(c, 0));
    const ops::StoredLock lock({&variable});
    RHEO_RETURN_IF_ERROR(variable.RequireInitialized());
    RHEO_RETURN_IF_ERROR(Check(c, *variable.tensor));
    RHEO_ASSIGN_OR_RETURN(Tensor fresh, c.AllocateTemp(kDTypeOf<T>, variable.tensor->shape()));
    const Tensor old = std::exchange(*variable.tensor, fresh);
    const int last = c.num_inputs() - 1;
    c.step().device->stream()->Enqueue([memory = memory_, old, fresh, first = c.input(1),
                                        last = c.input(last)] {
      const T* const from = memory.At<T>(old);
      const T* const x = memory.At<T>(first);
      const T* const y = memory.At<T>(last);
      T* const to = memory.At<T>(fresh);
      using W = ops::Wide<T>;
      for (int64_t i = 0; i < fresh.num_elements(); ++i) {
        const T& a = first.rank() == 0 ? *x : x[i];
        to[i] =
            static_cast<T>(F{}(static_cast<W>(from[i]), static_cast<W>(a), static_cast<W>(y[i])));
      }
    });
    return OkStatus();
  }

 private:
  static Status Check(const KernelContext& c, const Tensor& variable) {
    const int last = c.num_inputs() - 1;
    if (variable.dtype() != kDTypeOf<T>) {
      return InvalidArgument("Trying to update variable with wrong dtype. Expected {} got {}",
                             DTypeName(variable.dtype()), DTypeName(kDTypeOf<T>));
    }
    if (!(c.input(last).shape() == variable.shape())) {
      return InvalidArgument(
          "Cannot update variable with shape {} using a Tensor with shape {}, "
          "shapes must be equal.",
          variable.shape().ToString(), c.input(last).shape().ToString());
    }
    if (last > 1 && c.input(1).rank() != 0) {
      return InvalidArgument("alpha must be a scalar, not {}", c.input(1).shape().ToString());
    }
    return OkStatus();
  }

  const KernelMemory memory_;
};

// F(variable, input 1, last input).
template <typename F>
void AddUpdate(kernel::KernelRegistry& registry, const char* op, const char* attr, F) {
  ops::ForEachType<ops::TypeList<float, double, Half, Bfloat16>>([&]<typename T>() {
    registry.Add({.op = op,
                  .device_type = "GPU",
                  .types = {{attr, {kDTypeOf<T>}}},
                  .factory = kernel::ClassKernel<UpdateKernel<T, F>>()});
  });
}

}  // namespace

void RegisterVariableKernels(kernel::KernelRegistry& registry) {
  AddUpdate(registry, "AssignAddVariableOp", "dtype",
            [](auto variable, auto, auto value) { return variable + value; });
  AddUpdate(registry, "AssignSubVariableOp", "dtype",
            [](auto variable, auto, auto value) { return variable - value; });
  AddUpdate(registry, "ResourceApplyGradientDescent", "T",
            [](auto variable, auto alpha, auto delta) { return variable - alpha * delta; });
}

}  // namespace rheo::devices::sim
