// Stacks of one step: StackV2, StackPushV2, StackPopV2, StackCloseV2 and their reference forms.
// What loops keep of their iterations for the gradient.
#include <atomic>
#include <utility>
#include <vector>

#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/owned_resource.h"
#include "rheo/ops/data_flow/kernels.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;
using kernel::KernelInit;

// Thread-safe. Lives in the step's resources.
class Stack final : public kernel::Resource {
 public:
  static constexpr std::string_view kTypeName = "N10tensorflow5StackE";

  Stack(std::string name, DType dtype, int64_t max_size)
      : name_(std::move(name)), dtype_(dtype), max_size_(max_size) {}

  std::string Describe() const override { return "stack " + name_ + ' ' + DTypeName(dtype_); }

  Status Push(Tensor value) {
    MutexLock lock(mutex_);
    RHEO_RETURN_IF_ERROR(CheckOpen());
    if (max_size_ >= 0 && static_cast<int64_t>(values_.size()) >= max_size_) {
      return InvalidArgument("Stack[{}] overflowed its max_size ({})", name_, max_size_);
    }
    values_.push_back(std::move(value));
    return OkStatus();
  }
  StatusOr<Tensor> Pop() {
    MutexLock lock(mutex_);
    RHEO_RETURN_IF_ERROR(CheckOpen());
    if (values_.empty()) {
      return InvalidArgument("Stack[{}] is empty when calling Pop().", name_);
    }
    Tensor value = std::move(values_.back());
    values_.pop_back();
    return value;
  }
  void Close() {
    std::vector<Tensor> values;  // freed after the lock is released
    MutexLock lock(mutex_);
    values.swap(values_);
    closed_ = true;
    lock.Unlock();
  }
  DType dtype() const { return dtype_; }

 private:
  Status CheckOpen() const RHEO_REQUIRES(mutex_) {
    return closed_ ? InvalidArgument("Stack[{}] has already been closed.", name_) : OkStatus();
  }

  const std::string name_;
  const DType dtype_;
  const int64_t max_size_;
  Mutex mutex_;
  std::vector<Tensor> values_ RHEO_GUARDED_BY(mutex_);
  bool closed_ RHEO_GUARDED_BY(mutex_) = false;
};

// A stack of its own at each run.
class StackKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(const DType dtype, init.attrs.Get<DType>("elem_type"));
    RHEO_ASSIGN_OR_RETURN(std::string name, init.attrs.Get<std::string>("stack_name"));
    if (name.empty()) name = init.node_name;
    return std::make_unique<StackKernel>(std::move(name), dtype);
  }
  StackKernel(std::string name, DType dtype) : name_(std::move(name)), dtype_(dtype) {}

  Status Compute(KernelContext& c) override {
    int64_t max_size = -1;
    if (c.num_inputs() > 0) {
      if (c.input(0).num_elements() != 1) {
        return InvalidArgument("Stack size must be a scalar, but had shape: {}",
                               c.input(0).shape().ToString());
      }
      max_size = c.input(0).scalar<int32_t>();
    }
    const std::string name =
        fmt::format("{}_{}", name_, next_.fetch_add(1, std::memory_order_relaxed));
    // Nodes of one name may run in one step: in functions that are called several times.
    const std::string key = fmt::format("{}_{:016x}", name, RandomUint64());
    RHEO_RETURN_IF_ERROR(c.step().step_resources->Create<Stack>(
        "", key, std::make_shared<Stack>(name, dtype_, max_size)));
    SetHandle(c, 0, c.step().step_resources->default_container(), key, Stack::kTypeName);
    return OkStatus();
  }

 private:
  const std::string name_;
  const DType dtype_;
  // Only makes names differ.
  std::atomic<uint64_t> next_{0};
};

StatusOr<std::shared_ptr<Stack>> FindStack(const KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const HandleName where, ReadHandleName(c, 0, Stack::kTypeName));
  return c.step().step_resources->Lookup<Stack>(where.container, where.name);
}

Status StackPush(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const std::shared_ptr<Stack> stack, FindStack(c));
  Tensor value = c.TakeInput(1);
  if (value.dtype() != stack->dtype()) {
    return InvalidArgument("Must have type {} but got {}", DTypeName(stack->dtype()),
                           DTypeName(value.dtype()));
  }
  RHEO_RETURN_IF_ERROR(stack->Push(value));
  c.set_output(0, std::move(value));
  return OkStatus();
}

Status StackPop(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const std::shared_ptr<Stack> stack, FindStack(c));
  RHEO_ASSIGN_OR_RETURN(Tensor value, stack->Pop());
  c.set_output(0, std::move(value));
  return OkStatus();
}

Status StackClose(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const std::shared_ptr<Stack> stack, FindStack(c));
  stack->Close();
  return OkStatus();
}

}  // namespace

void AddStackKernels(TableKernels& kernels) {
  for (const std::string version : {"", "V2"}) {
    kernels.Add("Stack" + version, kernel::ClassKernel<StackKernel>());
    kernels.Add("StackPush" + version, FunctionKernel(&StackPush));
    kernels.Add("StackPop" + version, FunctionKernel(&StackPop));
    kernels.Add("StackClose" + version, FunctionKernel(&StackClose));
  }
}

}  // namespace rheo::ops
