// StepScope: the traces of a step on the workers, which go when the scope ends.
#ifndef RHEO_MASTER_STEP_SCOPE_H_
#define RHEO_MASTER_STEP_SCOPE_H_

#include <memory>
#include <vector>

#include "rheo/base/ids.h"
#include "rheo/service/worker_service.h"

namespace rheo::master {

// On destruction sends CleanupGraph to all `workers` that need it, without waiting for the answers.
class StepScope {
 public:
  StepScope(StepId step, std::vector<std::shared_ptr<service::WorkerService>> workers)
      : step_(step), workers_(std::move(workers)) {}
  ~StepScope();
  StepScope(const StepScope&) = delete;
  StepScope& operator=(const StepScope&) = delete;

  // The worker at this position has said that it keeps nothing of the step.
  void NeedsNoCleanup(size_t i) { workers_[i] = nullptr; }

 private:
  const StepId step_;
  std::vector<std::shared_ptr<service::WorkerService>> workers_;
};

}  // namespace rheo::master

#endif  // RHEO_MASTER_STEP_SCOPE_H_
