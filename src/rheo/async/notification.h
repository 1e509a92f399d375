// Notification: one-shot event between threads. Callback<T>: the shape of asynchronous answers.
#ifndef RHEO_ASYNC_NOTIFICATION_H_
#define RHEO_ASYNC_NOTIFICATION_H_

#include <atomic>
#include <chrono>

#include "absl/functional/any_invocable.h"
#include "rheo/base/mutex.h"
#include "rheo/base/status.h"

namespace rheo {

// Runs exactly once with the result of an asynchronous call. Unless the call's doc says otherwise
// it may run on any thread and also inside the call itself; it must not block.
using DoneCallback = absl::AnyInvocable<void(Status)>;

// Set once, by Notify(); waiting after that returns at once and costs one atomic load.
// The object may be destroyed as soon as a Wait returned.
class Notification {
 public:
  void Notify() {
    MutexLock lock(mutex_);
    set_.store(true, std::memory_order_release);
    cv_.NotifyAll();
  }

  bool HasBeenNotified() const { return set_.load(std::memory_order_acquire); }

  void Wait() {
    MutexLock lock(mutex_);
    cv_.Wait(mutex_, [this] { return HasBeenNotified(); });
  }

  // False when `deadline` passed first.
  bool WaitUntil(std::chrono::steady_clock::time_point deadline) {
    MutexLock lock(mutex_);
    return cv_.WaitUntil(mutex_, deadline, [this] { return HasBeenNotified(); });
  }

 private:
  Mutex mutex_;
  CondVar cv_;
  // Atomic so that HasBeenNotified needs no lock.
  std::atomic<bool> set_{false};
};

}  // namespace rheo

#endif  // RHEO_ASYNC_NOTIFICATION_H_
