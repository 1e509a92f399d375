// WaitingOps: the operations of running steps that wait for something to happen: a queue that is
// empty, an accumulator that lacks gradients. Receives are not among them; rendezvous know these.
#ifndef RHEO_EXECUTOR_WAITING_OPS_H_
#define RHEO_EXECUTOR_WAITING_OPS_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "rheo/base/ids.h"
#include "rheo/base/mutex.h"

namespace rheo::executor {

struct WaitingOp {
  StepId step;
  std::string what;  // "dequeue = QueueDequeueV2(queue)"
  std::chrono::steady_clock::time_point since;
};

// Thread-safe.
class WaitingOps {
 public:
  // `what` lives until Remove.
  uint64_t Add(StepId step, const std::string& what);
  void Remove(uint64_t id);
  // The oldest first.
  std::vector<WaitingOp> List() const;

 private:
  struct Entry {
    StepId step;
    const std::string* what = nullptr;
    std::chrono::steady_clock::time_point since;
  };
  mutable Mutex mutex_;
  uint64_t last_ RHEO_GUARDED_BY(mutex_) = 0;
  std::unordered_map<uint64_t, Entry> entries_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::executor

#endif  // RHEO_EXECUTOR_WAITING_OPS_H_
