// TransferLog: what came from other tasks in steps that are being traced.
#ifndef RHEO_WORKER_TRANSFER_LOG_H_
#define RHEO_WORKER_TRANSFER_LOG_H_

#include <atomic>
#include <cstddef>
#include <deque>
#include <utility>

#include "rheo/base/ids.h"
#include "rheo/base/mutex.h"
#include "rheo/rendezvous/rendezvous_key.h"
#include "rheo/trace/step_stats.h"

namespace rheo::worker {

// Thread-safe. A master switches it on before a traced step and off after it; masters that trace at
// the same time are counted. Keeps the newest steps only, so that a master that never asks costs
// little.
class TransferLog {
 public:
  void Enable() { users_.fetch_add(1, std::memory_order_relaxed); }
  void Disable();
  bool is_enabled() const { return users_.load(std::memory_order_relaxed) > 0; }

  // A tensor of the channel's edge has come, that was asked for at `start_nanos`.
  void Add(StepId step, const rendezvous::Channel& channel, int64_t start_nanos, size_t num_bytes);
  // Takes out what is known of the step, by receiving device.
  trace::StepStats Take(StepId step);
  void Clear();

 private:
  std::atomic<int> users_{0};
  Mutex mutex_;
  std::deque<std::pair<StepId, trace::StepStats>> steps_ RHEO_GUARDED_BY(mutex_);  // oldest first
};

}  // namespace rheo::worker

#endif  // RHEO_WORKER_TRANSFER_LOG_H_
