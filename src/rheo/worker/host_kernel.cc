#include "rheo/worker/host_kernel.h"

#include <utility>
#include <vector>

namespace rheo::worker {
namespace {

using kernel::KernelContext;
using kernel::Value;

// A device as if its memory were the host's.
class HostView final : public device::Device {
 public:
  explicit HostView(device::Device& base) : base_(base) {}

  const device::DeviceInfo& info() const override { return base_.info(); }
  const device::DeviceName& name() const override { return base_.name(); }
  Allocator& allocator() override { return HostAllocator(); }
  device::Stream* stream() override { return nullptr; }
  bool is_host_memory() const override { return true; }
  void CopyToHost(const Tensor& tensor, absl::AnyInvocable<void(StatusOr<Tensor>)> done) override {
    std::move(done)(tensor);
  }
  void CopyFromHost(const Tensor& tensor,
                    absl::AnyInvocable<void(StatusOr<Tensor>)> done) override {
    std::move(done)(tensor);
  }

 private:
  device::Device& base_;
};

class HostKernel final : public kernel::Kernel {
 public:
  HostKernel(std::unique_ptr<kernel::Kernel> kernel, device::Device& device,
             const op::NodeTypes& types)
      : kernel_(std::move(kernel)), view_(device), types_(types) {}

  Status Compute(KernelContext& c) override {
    kernel::StepContext step = c.step();
    step.device = &view_;
    std::vector<Value> inputs = Inputs(c);
    // Second references: no kernel may take over an input's buffer, which may be the device's.
    const std::vector<Value> held = inputs;
    std::vector<Value> outputs(static_cast<size_t>(c.num_outputs()));
    KernelContext on_host({.step = &step,
                           .types = &types_,
                           .inputs = inputs,
                           .outputs = outputs,
                           .frame = c.frame(),
                           .iteration = c.iteration(),
                           .is_dead = c.is_dead()});
    RHEO_RETURN_IF_ERROR(kernel_->Compute(on_host));
    SetOutputs(std::move(outputs), c);
    return OkStatus();
  }
  bool IsExpensive() const override { return kernel_->IsExpensive(); }
  const Tensor* ConstantOutput() const override { return kernel_->ConstantOutput(); }

 private:
  static std::vector<Value> Inputs(KernelContext& c) {
    std::vector<Value> inputs(static_cast<size_t>(c.num_inputs()));
    for (int i = 0; i < c.num_inputs(); ++i) {
      Value& value = inputs[static_cast<size_t>(i)];
      value.state = Value::State::kLive;
      value.ref = c.shared_input_ref(i);
      value.tensor = c.TakeInput(i);
    }
    return inputs;
  }

  static void SetOutputs(std::vector<Value> outputs, KernelContext& c) {
    for (int i = 0; i < c.num_outputs(); ++i) {
      Value& value = outputs[static_cast<size_t>(i)];
      if (value.state == Value::State::kDead) c.set_output_dead(i);
      if (value.state != Value::State::kLive) continue;
      if (value.ref != nullptr) {
        c.set_output_ref(i, std::move(value.ref));
      } else {
        c.set_output(i, std::move(value.tensor));
      }
    }
  }

  const std::unique_ptr<kernel::Kernel> kernel_;
  HostView view_;
  const op::NodeTypes types_;
};

}  // namespace

std::unique_ptr<kernel::Kernel> OnHost(std::unique_ptr<kernel::Kernel> kernel,
                                       device::Device& device, const op::NodeTypes& types) {
  if (kernel->AsAsync() != nullptr) return kernel;
  return std::make_unique<HostKernel>(std::move(kernel), device, types);
}

}  // namespace rheo::worker
