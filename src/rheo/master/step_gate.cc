#include "rheo/master/step_gate.h"

#include <utility>

namespace rheo::master {

Status StepGate::Enter() {
  MutexLock lock(mutex_);
  if (closed_) return FailedPrecondition("Session is closed.");
  ++running_;
  return OkStatus();
}

void StepGate::Leave() {
  std::vector<absl::AnyInvocable<void()>> idle;
  {
    MutexLock lock(mutex_);
    if (--running_ == 0) idle.swap(when_idle_);
  }
  for (auto& callback : idle) callback();
}

void StepGate::Close(Status reason, absl::AnyInvocable<void()> idle) {
  {
    MutexLock lock(mutex_);
    if (!closed_) reason_ = std::move(reason);
    closed_ = true;
  }
  closing_.request_stop();
  {
    MutexLock lock(mutex_);
    if (running_ > 0) {
      when_idle_.push_back(std::move(idle));
      return;
    }
  }
  idle();
}

Status StepGate::reason() const {
  MutexLock lock(mutex_);
  return reason_;
}

}  // namespace rheo::master
