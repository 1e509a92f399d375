#include "rheo/kernel/kernel.h"

namespace rheo::kernel {
namespace {

class PlainFunctionKernel final : public Kernel {
 public:
  PlainFunctionKernel(ComputeFn compute, bool is_expensive)
      : compute_(compute), is_expensive_(is_expensive) {}
  Status Compute(KernelContext& context) override { return compute_(context); }
  bool IsExpensive() const override { return is_expensive_; }

 private:
  const ComputeFn compute_;
  const bool is_expensive_;
};

}  // namespace

Status AsyncKernel::Compute(KernelContext&) {
  return Internal("an asynchronous kernel was run synchronously");
}

KernelFactory FunctionKernel(ComputeFn compute, bool is_expensive) {
  return [compute, is_expensive](const KernelInit&) -> StatusOr<std::unique_ptr<Kernel>> {
    return std::make_unique<PlainFunctionKernel>(compute, is_expensive);
  };
}

}  // namespace rheo::kernel
