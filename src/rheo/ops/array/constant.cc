// Const and the placeholders.
#include "rheo/ops/array/kernels.h"
#include "rheo/ops/common/kernel_factories.h"

namespace rheo::ops {
namespace {

using kernel::KernelContext;
using kernel::KernelInit;

class ConstKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(Tensor value, init.attrs.Get<Tensor>("value"));
    RHEO_ASSIGN_OR_RETURN(const DType dtype, init.attrs.Get<DType>("dtype"));
    if (value.dtype() != dtype) {
      return InvalidArgument("attr 'value' holds a {}, but attr 'dtype' says {}",
                             DTypeName(value.dtype()), DTypeName(dtype));
    }
    return std::make_unique<ConstKernel>(std::move(value));
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

// What to say when the placeholder was not fed.
StatusOr<std::string> UnfedMessage(const KernelInit& init) {
  RHEO_ASSIGN_OR_RETURN(const DType dtype, init.attrs.Get<DType>("dtype"));
  RHEO_ASSIGN_OR_RETURN(const PartialShape shape, init.attrs.Get<PartialShape>("shape"));
  std::string text = fmt::format("You must feed a value for placeholder tensor '{}' with dtype {}",
                                 init.node_name, DTypeName(dtype));
  if (shape.rank() > 0) text += " and shape " + shape.ToString();
  return text;
}

Status Placeholder(const std::string& unfed, KernelContext&) {
  return InvalidArgument("{}", unfed);
}

}  // namespace

void AddConstantKernels(TableKernels& kernels) {
  kernels.Add("Const", kernel::ClassKernel<ConstKernel>());
  kernels.Add("Placeholder", AttrKernel(&UnfedMessage, &Placeholder));
  kernels.Add("PlaceholderV2", AttrKernel(&UnfedMessage, &Placeholder));
}

}  // namespace rheo::ops
