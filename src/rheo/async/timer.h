// TimerQueue: calls back at given times.
#ifndef RHEO_ASYNC_TIMER_H_
#define RHEO_ASYNC_TIMER_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <thread>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "rheo/base/mutex.h"

namespace rheo {

// Thread-safe. Callbacks run one after the other on a thread of the queue, which starts with the
// first timer; they must not block. A timer that is cancelled in time costs no thread switch.
class TimerQueue {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // Names one timer.
  using Id = std::pair<Time, uint64_t>;

  TimerQueue() = default;
  ~TimerQueue();
  TimerQueue(const TimerQueue&) = delete;
  TimerQueue& operator=(const TimerQueue&) = delete;

  // Calls `callback` once at `when`, or soon if that is past.
  Id Add(Time when, absl::AnyInvocable<void()> callback);
  // Forgets what is pending, waits for the callback that runs, and takes no more. Not to be called
  // from a callback. Once is enough.
  void Stop();
  // True when the callback will not run; false when it ran, runs, or never was.
  bool Cancel(const Id& id);

 private:
  void Loop();

  Mutex mutex_;
  CondVar changed_;
  std::map<Id, absl::AnyInvocable<void()>> pending_ RHEO_GUARDED_BY(mutex_);
  uint64_t next_id_ RHEO_GUARDED_BY(mutex_) = 0;
  bool stopping_ RHEO_GUARDED_BY(mutex_) = false;
  // When the thread looks again by itself; earlier timers must wake it.
  Time next_look_ RHEO_GUARDED_BY(mutex_) = Time::max();
  std::thread thread_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo

#endif  // RHEO_ASYNC_TIMER_H_
