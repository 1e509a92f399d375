// Runner: the collectives of one task.
#ifndef RHEO_COLLECTIVE_RUNNER_H_
#define RHEO_COLLECTIVE_RUNNER_H_

#include <functional>
#include <memory>
#include <string>

#include "rheo/collective/exchange.h"
#include "rheo/collective/resolver.h"
#include "rheo/kernel/collectives.h"

namespace rheo::collective {

// What a runner uses and does not own; it all outlives the runner's runs.
struct RunnerEnv {
  std::string task_name;
  std::string leader;                           // as Resolver's
  service::WorkerDirectory* workers = nullptr;  // null: a task without peers
  ThreadPool* pool = nullptr;
  // The table of a running step; null when it is gone.
  std::function<std::shared_ptr<BufferTable>(StepId)> buffers_of;
};

// Thread-safe. A run first learns its group and, in a broadcast, the source; then the members
// exchange pieces. All waits end with the step, with the task's Stop, or with the plan's timeout.
class Runner final : public kernel::Collectives {
 public:
  explicit Runner(RunnerEnv env);

  // INVALID_ARGUMENT for a call that makes no sense, ABORTED (derived) when the step is gone, the
  // errors of group_table.h and instance_table.h, UNAVAILABLE or FAILED_PRECONDITION when a member
  // is dead or was restarted.
  void Run(kernel::CollectiveCall call, Callback done) override;

  Resolver& resolver() { return *resolver_; }
  // Ends the waits for groups with `reason`; runs end with their steps.
  void Stop(const Status& reason) { resolver_->Stop(reason); }

 private:
  const RunnerEnv env_;
  TimerQueue timers_;
  const ExchangeEnv exchange_;
  const std::shared_ptr<Resolver> resolver_;
};

}  // namespace rheo::collective

#endif  // RHEO_COLLECTIVE_RUNNER_H_
