// StepScope: the traces of a step on the workers, which go when the scope ends.
#ifndef RHEO_MASTER_STEP_SCOPE_H_
#define RHEO_MASTER_STEP_SCOPE_H_

#include <memory>
#include <utility>
#include <vector>

#include "rheo/base/ids.h"
#include "rheo/master/cleanups.h"

namespace rheo::master {

// On destruction tells all `workers` that need it that the step is over, without waiting for them.
class StepScope {
 public:
  StepScope(StepId step, std::vector<Cleanups::Worker> workers, std::shared_ptr<Cleanups> cleanups)
      : step_(step), workers_(std::move(workers)), cleanups_(std::move(cleanups)) {}
  ~StepScope();
  StepScope(const StepScope&) = delete;
  StepScope& operator=(const StepScope&) = delete;

  // The worker at this position has said that it keeps nothing of the step.
  void NeedsNoCleanup(size_t i) { workers_[i] = nullptr; }

 private:
  const StepId step_;
  std::vector<Cleanups::Worker> workers_;
  const std::shared_ptr<Cleanups> cleanups_;
};

}  // namespace rheo::master

#endif  // RHEO_MASTER_STEP_SCOPE_H_
