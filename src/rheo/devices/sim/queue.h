// SimQueue: work that is done in order, on a thread of its own.
#ifndef RHEO_DEVICES_SIM_QUEUE_H_
#define RHEO_DEVICES_SIM_QUEUE_H_

#include <deque>
#include <string>

#include "absl/functional/any_invocable.h"
#include "rheo/async/thread_pool.h"
#include "rheo/base/mutex.h"

namespace rheo::devices::sim {

// Thread-safe. The destructor finishes what was added.
class SimQueue {
 public:
  explicit SimQueue(std::string name);

  // Runs `work` after everything added before; returns at once.
  void Add(absl::AnyInvocable<void()> work);

 private:
  // Runs what is queued until nothing is left.
  void Drain();

  Mutex mutex_;
  std::deque<absl::AnyInvocable<void()>> queue_ RHEO_GUARDED_BY(mutex_);
  bool draining_ RHEO_GUARDED_BY(mutex_) = false;
  ThreadPool thread_;  // last: its destructor finishes what was added
};

}  // namespace rheo::devices::sim

#endif  // RHEO_DEVICES_SIM_QUEUE_H_
