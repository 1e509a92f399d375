// MasterSession: one client's program on the cluster: its graph, its compiled steps, its runs.
#ifndef RHEO_MASTER_MASTER_SESSION_H_
#define RHEO_MASTER_MASTER_SESSION_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "rheo/master/call_guard.h"
#include "rheo/master/callable_table.h"
#include "rheo/master/cleanups.h"
#include "rheo/master/graph_state.h"
#include "rheo/master/master.h"
#include "rheo/master/option_warnings.h"
#include "rheo/master/partial_run.h"
#include "rheo/master/session_cluster.h"
#include "rheo/master/step_cache.h"
#include "rheo/master/step_gate.h"
#include "rheo/master/step_run.h"

namespace rheo::master {

// Thread-safe. Whoever runs a step or compiles one holds a reference; CloseSession waits for them
// at the gate. The methods follow call.h and are those of MasterService for one session.
class MasterSession : public std::enable_shared_from_this<MasterSession> {
 public:
  // `env` and `timers` outlive the session and its close.
  MasterSession(const MasterEnv& env, TimerQueue& timers, std::shared_ptr<Cleanups> cleanups,
                SessionHandle handle, service::SessionConfig config,
                std::shared_ptr<const SessionCluster> cluster,
                std::shared_ptr<const GraphState> graph);

  const SessionHandle& handle() const { return handle_; }
  const SessionCluster& cluster() const { return *cluster_; }
  // Of calls that run or change something.
  StepGate::Use use() const { return gate_->use(); }

  void Extend(const service::ExtendSessionRequest& request,
              service::ExtendSessionResponse* response, const service::Call& call,
              DoneCallback done);
  void RunStep(const service::RunStepRequest& request, service::RunStepResponse* response,
               const service::Call& call, DoneCallback done);
  void PartialRunSetup(const service::PartialRunSetupRequest& request,
                       service::PartialRunSetupResponse* response, const service::Call& call,
                       DoneCallback done);
  void MakeCallable(const service::MakeCallableRequest& request,
                    service::MakeCallableResponse* response, const service::Call& call,
                    DoneCallback done);
  void RunCallable(const service::RunCallableRequest& request,
                   service::RunCallableResponse* response, const service::Call& call,
                   DoneCallback done);
  void ReleaseCallable(int64_t handle);
  OptionWarnings& option_warnings() { return option_warnings_; }

  // Ends running steps with `reason`, waits for them, and deletes the worker sessions. `done` runs
  // once, also when workers do not answer.
  void Close(Status reason, absl::AnyInvocable<void()> done);

 private:
  // What is special about a step that is compiled outside the cache of ordinary steps.
  struct CompileExtras {
    std::vector<std::pair<std::string, std::string>> tensor_connections;
    int64_t collective_graph_key = 0;
    bool for_partial_runs = false;
    bool caller_waits = false;  // the calling thread may do the work
  };

  std::shared_ptr<const GraphState> graph() const;
  Status CommitGraph(std::shared_ptr<const GraphState> next);
  // Runs `work` on this thread when the caller waits, otherwise on the pool.
  void Schedule(bool caller_waits, absl::AnyInvocable<void()> work);
  void Build(StepSignature signature, CompileExtras extras, StepCache::Ready ready);
  void Compile(StepSignature signature, CompileExtras extras, StepCache::Ready ready);
  std::string UniqueName(const graph::Graph& graph, std::string_view prefix);

  // For a caller that waits for a step to be compiled: says, too late, whose answers are missing.
  std::shared_ptr<CallGuard> GuardCompiling(const service::Call& call, service::Deadline answer_by,
                                            DoneCallback done);
  StepOptions OptionsFor(const service::RunOptions& options, const service::Call& call);
  // Whether this run of the step is one that build_cost_model measures.
  bool IsMeasured(const CompiledStep& step) const;
  // Starts the run. After success `take(StepRun&)` is called and the metadata are filled; `done`
  // comes last.
  template <typename Take>
  void StartWithId(const std::shared_ptr<StepRun>& run, const CompiledStep& step,
                   StepOptions options, service::RunMetadata& metadata, Take take,
                   DoneCallback done);
  template <typename Take>
  void StartRun(const std::shared_ptr<StepRun>& run, const CompiledStep& step, StepOptions options,
                service::RunMetadata& metadata, Take take, DoneCallback done);
  void RunRoute(const std::shared_ptr<const StepRoute>& route,
                const service::RunStepRequest& request, service::RunStepResponse* response,
                StepOptions options, DoneCallback done);
  void CompileAndRun(const service::RunStepRequest& request, service::RunStepResponse* response,
                     const service::Call& call, StepOptions options, DoneCallback done);
  void RunPartial(const service::RunStepRequest& request, service::RunStepResponse* response,
                  const service::Call& call, DoneCallback done);
  void DeleteWorkerSessions(absl::AnyInvocable<void()> done);

  const MasterEnv& env_;
  TimerQueue& timers_;
  const std::shared_ptr<Cleanups> cleanups_;
  const SessionHandle handle_;
  const service::SessionConfig config_;
  const std::shared_ptr<const SessionCluster> cluster_;
  const std::shared_ptr<StepGate> gate_ = std::make_shared<StepGate>();
  OptionWarnings option_warnings_;
  StepCache steps_;
  StepCache partial_steps_;
  const std::shared_ptr<AwaitedTasks> registering_ = std::make_shared<AwaitedTasks>();
  CallableTable callables_;
  PartialRunTable partial_runs_;
  // Counts through the names of Send and Recv nodes; atomic since steps compile side by side.
  std::atomic<int64_t> next_name_{0};
  mutable Mutex mutex_;
  std::shared_ptr<const GraphState> graph_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::master

#endif  // RHEO_MASTER_MASTER_SESSION_H_
