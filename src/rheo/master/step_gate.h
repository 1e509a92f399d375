// StepGate: counts the running steps of a session, and closes.
#ifndef RHEO_MASTER_STEP_GATE_H_
#define RHEO_MASTER_STEP_GATE_H_

#include <vector>

#include "absl/functional/any_invocable.h"
#include "rheo/async/stop.h"
#include "rheo/base/mutex.h"
#include "rheo/base/status.h"

namespace rheo::master {

// Thread-safe. Shared by a session and its steps.
class StepGate {
 public:
  // OK: a step runs until Leave(). FAILED_PRECONDITION "Session is closed." afterwards.
  Status Enter();
  void Leave();

  // Lets nobody in any more, fires closing(), and calls `idle` once nobody is in: inside this call,
  // or on the thread that leaves last. Running steps are to end with `reason`; that of the first
  // call counts.
  void Close(Status reason, absl::AnyInvocable<void()> idle);

  // Fires when Close() is called.
  StopToken closing() const { return closing_.get_token(); }
  // The reason given to Close(); OK before that.
  Status reason() const;

 private:
  StopSource closing_;
  mutable Mutex mutex_;
  int running_ RHEO_GUARDED_BY(mutex_) = 0;
  bool closed_ RHEO_GUARDED_BY(mutex_) = false;
  Status reason_ RHEO_GUARDED_BY(mutex_);
  std::vector<absl::AnyInvocable<void()>> when_idle_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::master

#endif  // RHEO_MASTER_STEP_GATE_H_
