#include "rheo/ops/data_flow/accumulator.h"

#include <utility>

namespace rheo::ops {

using kernel::KernelContext;
using kernel::OpCall;
using kernel::Waiters;

StatusOr<std::shared_ptr<Accumulator>> Accumulator::Make(std::string name, const Spec& spec) {
  return std::make_shared<Accumulator>(std::move(name), spec);
}

Accumulator::Accumulator(std::string name, Spec spec)
    : name_(std::move(name)),
      spec_(std::move(spec)),
      sum_(NewSum()),
      waiters_(mutex_, {Waiters::Order::kFirst}) {}

Status Accumulator::CheckSame(const Spec& other) const {
  if (other.is_sparse != spec_.is_sparse) {
    return InvalidArgument("Shared conditional accumulator '{}' is a {}, not a {}", name_, spec_.op,
                           other.op);
  }
  if (other.dtype != spec_.dtype) {
    return InvalidArgument(
        "Shared conditional accumulator '{}' has data type {} but requested data type is {}", name_,
        DTypeName(spec_.dtype), DTypeName(other.dtype));
  }
  if (!(other.shape == spec_.shape)) {
    return InvalidArgument(
        "Shared conditional accumulator '{}' has shape {} but requested shape is {}", name_,
        spec_.shape.ToString(), other.shape.ToString());
  }
  if (other.reduction != spec_.reduction) {
    return InvalidArgument(
        "Shared conditional accumulator '{}' has another reduction_type than requested", name_);
  }
  return OkStatus();
}

Status Accumulator::Apply(const KernelContext& context, int64_t local_step,
                          const std::vector<Tensor>& gradient) {
  Status status;
  waiters_.Change([&] {
    if (local_step < global_step_) return;
    status = sum_->Add(context, gradient);
    if (status.ok()) ++count_;
  });
  return status;
}

void Accumulator::Take(OpCall call, int64_t num_required, TakeCallback done) {
  auto taken = std::make_shared<Taken>();
  std::string waits_for = fmt::format("{} gradients of accumulator '{}'", num_required, name_);
  waiters_.Start(0, {.owner = shared_from_this(),
                     .call = std::move(call),
                     .waits_for = std::move(waits_for),
                     .run =
                         [this, taken, num_required](Status&) {
                           if (count_ < num_required) return Waiters::Progress::kNone;
                           taken->sum = std::exchange(sum_, NewSum());
                           taken->count = std::exchange(count_, 0);
                           ++global_step_;
                           return Waiters::Progress::kDone;
                         },
                     .give_back = nullptr,
                     .stopped = "TakeGrad operation was cancelled",
                     .done =
                         [taken, done = std::move(done)](const Status& status) mutable {
                           if (status.ok()) {
                             std::move(done)(std::move(*taken));
                           } else {
                             std::move(done)(status);
                           }
                         }});
}

void Accumulator::SetGlobalStep(int64_t step) {
  MutexLock lock(mutex_);
  global_step_ = step;
}

int64_t Accumulator::num_accumulated() const {
  MutexLock lock(mutex_);
  return count_;
}

}  // namespace rheo::ops
