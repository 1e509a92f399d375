#include "rheo/master/step_gate.h"

#include <utility>

namespace rheo::master {

Status StepGate::Enter() {
  const uint64_t before = state_.fetch_add(kOneStep + kOneUse, std::memory_order_acq_rel);
  if ((before & kClosed) == 0) return OkStatus();
  Leave();
  return FailedPrecondition("Session is closed.");
}

void StepGate::Leave() {
  const uint64_t before = state_.fetch_sub(kOneStep, std::memory_order_acq_rel);
  if ((before & kStateMask) == kOneStep + kClosed) RunIfIdle();
}

StepGate::Use StepGate::use() const {
  const uint64_t state = state_.load(std::memory_order_relaxed);
  return {.count = static_cast<uint32_t>(state / kOneUse),
          .is_in = (state & kStateMask) >= kOneStep};
}

void StepGate::Close(Status reason, absl::AnyInvocable<void()> idle) {
  {
    MutexLock lock(mutex_);
    if (reason_.ok()) reason_ = std::move(reason);
    when_idle_.push_back(std::move(idle));
  }
  // Keeps the gate busy until stop was requested, so that `idle` does not run before that.
  state_.fetch_add(kOneStep, std::memory_order_acq_rel);
  state_.fetch_or(kClosed, std::memory_order_acq_rel);
  closing_.request_stop();
  Leave();
}

// Each callback is taken by one thread.
void StepGate::RunIfIdle() {
  std::vector<absl::AnyInvocable<void()>> idle;
  {
    MutexLock lock(mutex_);
    idle.swap(when_idle_);
  }
  for (auto& callback : idle) callback();
}

Status StepGate::reason() const {
  MutexLock lock(mutex_);
  return reason_;
}

}  // namespace rheo::master
