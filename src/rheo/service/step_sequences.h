// StepSequences: the ids of steps with collectives. The masters of a cluster that run the same
// graph each give the same ids in the same order, so that its collectives meet (wire.md 21).
#ifndef RHEO_SERVICE_STEP_SEQUENCES_H_
#define RHEO_SERVICE_STEP_SEQUENCES_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "rheo/base/ids.h"
#include "rheo/base/mutex.h"
#include "rheo/base/status.h"

namespace rheo::service {

// One for a task, shared by its master, which takes ids, and its worker, which tells them to other
// masters. Thread-safe.
//
// Sequences beyond kMaxSequences are forgotten, those first that were not used for longest, but
// never one of a step that runs or that was used in the last kYoung: when all are such, a new one
// is refused with RESOURCE_EXHAUSTED. Those that steps ran by here and those that others only asked
// for are counted apart, so that questions, of whomever, keep no step of this task's from starting.
class StepSequences {
 public:
  using Clock = std::chrono::steady_clock;
  explicit StepSequences(std::function<Clock::time_point()> now = &Clock::now)
      : now_(std::move(now)) {}

  // The id of a step that starts now; of a graph key that is not known, a random one.
  StatusOr<StepId> Take(int64_t graph_key);
  // The step of that id is over. After a failure the other masters may count differently.
  void Return(int64_t graph_key, StepId step, bool ok);
  // The step of that id failed on another task, so that it cannot succeed here: neither this task's
  // master nor one that asks begins it any more.
  void GiveUp(int64_t graph_key, StepId step);
  // What other masters are told: the id of the oldest step that runs, else of the next one.
  StatusOr<StepId> Next(int64_t graph_key);

  // Whether the leader is to be asked before the next Take: always at first, and after a failure.
  bool NeedsLeader(int64_t graph_key) const;
  // What the leader says counts, unless steps run here by an older answer. A step will run by it.
  Status SetNext(int64_t graph_key, StepId next);
  // Whether `next` is the step that failed here last: then the leader may not have ended it yet.
  bool HasFailed(int64_t graph_key, StepId next) const;

  static constexpr size_t kMaxSequences = 10'000;
  static constexpr std::chrono::minutes kYoung{10};

 private:
  // By the number of its last use.
  using ByUse = std::map<uint64_t, int64_t>;
  struct Sequence {
    StepId next;
    std::set<int64_t> running;  // step ids
    StepId last_failed = StepId(-1);
    bool is_certain = false;
    bool runs_here = false;
    Clock::time_point last_used;
    uint64_t number = 0;
  };
  // Finds or begins it, and notes that it is used.
  StatusOr<Sequence*> Use(int64_t graph_key, bool runs_here) RHEO_REQUIRES(mutex_);
  void NoteUse(int64_t graph_key, Sequence& sequence, bool runs_here, Clock::time_point now)
      RHEO_REQUIRES(mutex_);
  Status MakeRoom(ByUse& by_use, int64_t graph_key, Clock::time_point now) RHEO_REQUIRES(mutex_);

  const std::function<Clock::time_point()> now_;
  mutable Mutex mutex_;
  std::map<int64_t, Sequence> sequences_ RHEO_GUARDED_BY(mutex_);
  ByUse run_here_ RHEO_GUARDED_BY(mutex_);
  ByUse asked_for_ RHEO_GUARDED_BY(mutex_);
  uint64_t last_number_ RHEO_GUARDED_BY(mutex_) = 0;
};

}  // namespace rheo::service

#endif  // RHEO_SERVICE_STEP_SEQUENCES_H_
