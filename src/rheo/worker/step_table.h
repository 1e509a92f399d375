// StepTable: the steps that a worker knows, by id, across sessions and masters.
#ifndef RHEO_WORKER_STEP_TABLE_H_
#define RHEO_WORKER_STEP_TABLE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "rheo/base/mutex.h"
#include "rheo/worker/step_state.h"

namespace rheo::worker {

// Thread-safe.
class StepTable {
 public:
  std::shared_ptr<StepState> FindOrCreate(StepId step);
  std::shared_ptr<StepState> Find(StepId step) const;  // null: unknown
  // Null when there was none.
  std::shared_ptr<StepState> Remove(StepId step);
  // Removes `state` unless another took its place, or somebody uses it.
  void RemoveIfIdle(const std::shared_ptr<StepState>& state);
  // Removes the steps of a session that no longer run.
  void RemoveEnded(const std::string& session);
  std::vector<std::shared_ptr<StepState>> All() const;

 private:
  mutable Mutex mutex_;
  absl::flat_hash_map<StepId, std::shared_ptr<StepState>> steps_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::worker

#endif  // RHEO_WORKER_STEP_TABLE_H_
