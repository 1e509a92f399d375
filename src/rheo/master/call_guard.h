// CallGuard: answers a caller promptly though the work it waits for cannot be interrupted.
#ifndef RHEO_MASTER_CALL_GUARD_H_
#define RHEO_MASTER_CALL_GUARD_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "rheo/async/stop.h"
#include "rheo/async/timer.h"
#include "rheo/master/deadlines.h"
#include "rheo/service/call.h"

namespace rheo::master {

// The call is answered once: by whoever takes the callback, or with CANCELLED when the caller stops
// or DEADLINE_EXCEEDED "<what> did not finish in time<why>" when its time is over. Thread-safe.
// The answer may come inside Start() already, and with it the end of the request, the response and
// the call: what the work needs of them is taken before.
class CallGuard : public std::enable_shared_from_this<CallGuard> {
 public:
  using Why = std::function<std::string()>;  // asked when the time is over
  static std::shared_ptr<CallGuard> Start(TimerQueue& timers, const service::Call& call,
                                          service::Deadline answer_by, std::string what, Why why,
                                          DoneCallback done);
  CallGuard(TimerQueue& timers, std::string what, Why why, DoneCallback done);

  // The caller's callback, or nullptr when it was answered. Only with the callback in hand may the
  // request, the response and the call be touched.
  DoneCallback Take();

 private:
  void Answer(const Status& status);

  TimerQueue& timers_;
  const std::string what_;
  const Why why_;
  std::optional<StopCallback> stop_;  // set by Start() only
  Mutex mutex_;
  std::optional<TimerQueue::Id> timer_ RHEO_GUARDED_BY(mutex_);
  DoneCallback done_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::master

#endif  // RHEO_MASTER_CALL_GUARD_H_
