// SimStream: work of a simulated accelerator, done in order on a thread of its own.
#ifndef RHEO_DEVICES_SIM_STREAM_H_
#define RHEO_DEVICES_SIM_STREAM_H_

#include <deque>
#include <string>

#include "rheo/async/thread_pool.h"
#include "rheo/base/mutex.h"
#include "rheo/device/device.h"

namespace rheo::devices::sim {

// Callbacks of WhenDone run on the stream's thread, between the work before and after them.
class SimStream final : public device::Stream {
 public:
  explicit SimStream(std::string name);

  void Enqueue(absl::AnyInvocable<void()> work) override;
  void WhenDone(absl::AnyInvocable<void(Status)> done) override;

 private:
  // Runs what is queued until nothing is left.
  void Drain();

  Mutex mutex_;
  std::deque<absl::AnyInvocable<void()>> queue_ RHEO_GUARDED_BY(mutex_);
  bool draining_ RHEO_GUARDED_BY(mutex_) = false;
  ThreadPool thread_;  // last: its destructor finishes what was enqueued
};

}  // namespace rheo::devices::sim

#endif  // RHEO_DEVICES_SIM_STREAM_H_
