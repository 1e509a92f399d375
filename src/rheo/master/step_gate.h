// StepGate: counts the running steps of a session, and closes.
#ifndef RHEO_MASTER_STEP_GATE_H_
#define RHEO_MASTER_STEP_GATE_H_

#include <atomic>
#include <cstdint>
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

  // How often somebody has entered, modulo 2³², and whether somebody is in.
  struct Use {
    uint32_t count = 0;
    bool is_in = false;
  };
  Use use() const;

  // Fires when Close() is called.
  StopToken closing() const { return closing_.get_token(); }
  // The reason given to Close(); OK before that.
  Status reason() const;

 private:
  void RunIfIdle();

  static constexpr uint64_t kClosed = 1;
  static constexpr uint64_t kOneStep = 2;
  static constexpr uint64_t kStateMask = 0xffff'ffff;
  static constexpr uint64_t kOneUse = kStateMask + 1;

  StopSource closing_;
  // kOneStep for each that is in, plus kClosed, plus kOneUse for each that ever entered; atomic
  // since every step passes here.
  std::atomic<uint64_t> state_{0};
  mutable Mutex mutex_;
  Status reason_ RHEO_GUARDED_BY(mutex_);
  std::vector<absl::AnyInvocable<void()>> when_idle_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::master

#endif  // RHEO_MASTER_STEP_GATE_H_
