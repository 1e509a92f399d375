// StepSequences: the ids of steps with collectives. The masters of a cluster that run the same
// graph each give the same ids in the same order, so that its collectives meet (wire.md 21).
#ifndef RHEO_SERVICE_STEP_SEQUENCES_H_
#define RHEO_SERVICE_STEP_SEQUENCES_H_

#include <cstdint>
#include <map>
#include <set>

#include "rheo/base/ids.h"
#include "rheo/base/mutex.h"

namespace rheo::service {

// One for a task, shared by its master, which takes ids, and its worker, which tells them to other
// masters. Thread-safe.
class StepSequences {
 public:
  // The id of a step that starts now; of a graph key that is not known, a random one.
  StepId Take(int64_t graph_key);
  // The step of that id is over. After a failure the other masters may count differently.
  void Return(int64_t graph_key, StepId step, bool ok);
  // What other masters are told: the id of the oldest step that runs, else of the next one.
  StepId Next(int64_t graph_key);

  // Whether the leader is to be asked before the next Take: always at first, and after a failure.
  bool NeedsLeader(int64_t graph_key) const;
  // What the leader says counts, unless steps run here by an older answer.
  void SetNext(int64_t graph_key, StepId next);
  // Whether `next` is the step that failed here last: then the leader may not have ended it yet.
  bool HasFailed(int64_t graph_key, StepId next) const;

  // Sequences beyond this many are forgotten, the oldest first, unless steps of theirs run.
  static constexpr size_t kMaxSequences = 10'000;

 private:
  struct Sequence {
    StepId next;
    std::set<int64_t> running;  // step ids
    StepId last_failed = StepId(-1);
    bool is_certain = false;
    uint64_t number = 0;
  };
  Sequence& Find(int64_t graph_key) RHEO_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<int64_t, Sequence> sequences_ RHEO_GUARDED_BY(mutex_);
  std::map<uint64_t, int64_t> by_age_ RHEO_GUARDED_BY(mutex_);
  uint64_t last_number_ RHEO_GUARDED_BY(mutex_) = 0;
};

}  // namespace rheo::service

#endif  // RHEO_SERVICE_STEP_SEQUENCES_H_
