// Const: the value is copied to the device when the kernel is made.
#include <cstring>

#include "rheo/devices/sim/kernel_memory.h"
#include "rheo/devices/sim/kernels.h"

namespace rheo::devices::sim {
namespace {

using kernel::KernelContext;
using kernel::KernelInit;

class ConstKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(const KernelMemory memory, KernelMemory::Of(init.device));
    RHEO_ASSIGN_OR_RETURN(Tensor value, init.attrs.Get<Tensor>("value"));
    RHEO_ASSIGN_OR_RETURN(const DType dtype, init.attrs.Get<DType>("dtype"));
    if (value.dtype() != dtype) {
      return InvalidArgument("attr 'value' holds a {}, but attr 'dtype' says {}",
                             DTypeName(value.dtype()), DTypeName(dtype));
    }
    RHEO_ASSIGN_OR_RETURN(Tensor copy,
                          Tensor::Create(init.device.allocator(), dtype, value.shape()));
    init.device.stream()->Enqueue([memory, value = std::move(value), copy] {
      if (copy.num_bytes() > 0) {
        std::memcpy(memory.At<char>(copy), value.data(), copy.num_bytes());
      }
    });
    return std::make_unique<ConstKernel>(std::move(copy));
  }
  explicit ConstKernel(Tensor value) : value_(std::move(value)) {}

  Status Compute(KernelContext& c) override {
    c.set_output(0, value_);
    return OkStatus();
  }
  const Tensor* ConstantOutput() const override { return &value_; }

 private:
  const Tensor value_;
};

}  // namespace

void RegisterConstKernel(kernel::KernelRegistry& registry) {
  const std::vector<DType> dtypes = {
      DType::kFloat,   DType::kDouble, DType::kHalf,      DType::kBfloat16,  DType::kInt8,
      DType::kInt16,   DType::kInt64,  DType::kUint8,     DType::kUint16,    DType::kUint32,
      DType::kUint64,  DType::kBool,   DType::kQint8,     DType::kQuint8,    DType::kQint16,
      DType::kQuint16, DType::kQint32, DType::kComplex64, DType::kComplex128};
  registry.Add({.op = "Const",
                .device_type = "GPU",
                .types = {{"dtype", dtypes}},
                .factory = kernel::ClassKernel<ConstKernel>()});
}

}  // namespace rheo::devices::sim
