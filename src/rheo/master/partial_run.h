// PartialRun: a step that is fed and fetched in several calls.
#ifndef RHEO_MASTER_PARTIAL_RUN_H_
#define RHEO_MASTER_PARTIAL_RUN_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rheo/base/mutex.h"
#include "rheo/base/string_map.h"
#include "rheo/master/compiled_step.h"
#include "rheo/master/step_scope.h"
#include "rheo/service/master_service.h"

namespace rheo::master {

// Thread-safe. Its step's traces on the workers go with it.
class PartialRun {
 public:
  explicit PartialRun(std::shared_ptr<const CompiledStep> step)
      : step_(std::move(step)),
        id_(NewStepId()),
        is_fed_(step_->feed_keys.size()),
        is_fetched_(step_->fetch_keys.size()) {}

  // One call's share of the step.
  struct Stage {
    std::vector<int> feed_slots;   // by feed of the request
    std::vector<int> fetch_slots;  // by fetch
    bool is_last = false;          // nothing is left to feed or fetch after it
  };
  // Takes the request's feeds and fetches as used up. INVALID_ARGUMENT with the texts of wire.md 18
  // for names that were not declared, came before, or cannot be computed yet; nothing is used up
  // then.
  StatusOr<Stage> Admit(const service::RunStepRequest& request);

  const std::shared_ptr<const CompiledStep>& step() const { return step_; }
  StepId id() const { return id_; }

 private:
  StatusOr<Stage> SlotsOf(const service::RunStepRequest& request) const RHEO_REQUIRES(mutex_);
  Status CheckComputable(const Stage& stage) const RHEO_REQUIRES(mutex_);

  const std::shared_ptr<const CompiledStep> step_;
  const StepId id_;
  Mutex mutex_;
  std::vector<bool> is_fed_ RHEO_GUARDED_BY(mutex_);
  std::vector<bool> is_fetched_ RHEO_GUARDED_BY(mutex_);
  std::optional<StepScope> scope_ RHEO_GUARDED_BY(mutex_);  // once a stage was sent
};

// The partial runs of a session, by handle. Thread-safe.
class PartialRunTable {
 public:
  std::string Add(std::shared_ptr<PartialRun> run);
  // INVALID_ARGUMENT when the handle is unknown or its run is over.
  StatusOr<std::shared_ptr<PartialRun>> Find(const std::string& handle) const;
  void Remove(const std::string& handle);
  void Clear();

 private:
  mutable Mutex mutex_;
  int64_t next_ RHEO_GUARDED_BY(mutex_) = 0;
  StringMap<std::shared_ptr<PartialRun>> runs_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::master

#endif  // RHEO_MASTER_PARTIAL_RUN_H_
