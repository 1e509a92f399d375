// StepTable: the steps that a worker knows, by id, across sessions and masters.
#ifndef RHEO_WORKER_STEP_TABLE_H_
#define RHEO_WORKER_STEP_TABLE_H_

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "rheo/base/mutex.h"
#include "rheo/base/recent_set.h"
#include "rheo/worker/step_state.h"

namespace rheo::worker {

// Thread-safe.
class StepTable {
 public:
  // For a step that has ended, a state outside of the table whose rendezvous is aborted: values
  // that come late go nowhere, and requests are told.
  StepUse FindOrCreate(StepId step);
  // As FindOrCreate, for values that another task sends unasked, perhaps before the step runs here.
  // RESOURCE_EXHAUSTED when values of kMaxEarlySteps steps are kept already that nobody ran.
  StatusOr<StepUse> FindForPush(StepId step);
  // For a RunGraph of a graph with collectives: its master may give an id again that another
  // master gave (wire.md 21).
  StepUse FindForCollectives(StepId step);
  // As FindOrCreate, for a piece of a collective: of an ended step too, unless it has failed, since
  // a member that asks then is in the next step of that id already.
  StepUse FindForPiece(StepId step);
  // A step with collectives has ended here. Nothing of one that went well comes late, and what
  // comes for its id after Remove is of the next step that has it.
  void NoteEnded(StepId step, bool ok);
  // A step with collectives has failed elsewhere: what its collectives wait for will not come.
  void StopCollectives(StepId step, const Status& reason);
  std::shared_ptr<StepState> Find(StepId step) const;  // null: unknown
  // Null when there was none. The step is remembered as ended when values for it or requests
  // `may_come_late`.
  std::shared_ptr<StepState> Remove(StepId step, bool may_come_late = true);
  // Removes the step unless it runs or has run, or somebody else uses it.
  void RemoveIfIdle(StepUse use);
  // Removes the steps of a session that no longer run.
  void RemoveEnded(const std::string& session);
  std::vector<std::shared_ptr<StepState>> All() const;

  static constexpr size_t kMaxEarlySteps = 8192;

 private:
  static constexpr size_t kEndedRemembered = 10'000;

  StepUse FindOrAdd(StepId step) RHEO_REQUIRES(mutex_);
  static StepUse Ended(StepId step);
  std::shared_ptr<StepState> TakeOut(StepId step) RHEO_REQUIRES(mutex_);
  // Takes out the early steps that are so old that nobody will run them any more.
  std::vector<std::shared_ptr<StepState>> TakeOutStale() RHEO_REQUIRES(mutex_);

  mutable Mutex mutex_;
  // The last steps that were removed.
  RecentSet<StepId> ended_ RHEO_GUARDED_BY(mutex_) = RecentSet<StepId>(kEndedRemembered);
  // The last steps with collectives, by how they ended.
  RecentSet<StepId> went_well_ RHEO_GUARDED_BY(mutex_) = RecentSet<StepId>(kEndedRemembered);
  RecentSet<StepId> failed_ RHEO_GUARDED_BY(mutex_) = RecentSet<StepId>(kEndedRemembered);
  absl::flat_hash_map<StepId, std::shared_ptr<StepState>> steps_ RHEO_GUARDED_BY(mutex_);
  // The steps that exist only because values for them came, and since when.
  absl::flat_hash_map<StepId, std::chrono::steady_clock::time_point> early_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::worker

#endif  // RHEO_WORKER_STEP_TABLE_H_
