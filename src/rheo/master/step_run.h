// StepRun: one run of a compiled step: RunGraph to every part, and one answer.
//
// States, under mutex_:            running ──► answered ──► over
//   start      all parts are called; remaining_ counts those that have not answered
//   trouble    the first root error, the caller's stop, the session's closing or the deadline sets
//              stop_reason_ (errors: has_root_error_) and stops the parts that still run
//   answered   the callback ran: when all parts have answered, or some time after a stop when a
//              part does not react
//   over       all parts have answered: the step leaves its gate
#ifndef RHEO_MASTER_STEP_RUN_H_
#define RHEO_MASTER_STEP_RUN_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "rheo/async/stop.h"
#include "rheo/async/timer.h"
#include "rheo/master/compiled_step.h"
#include "rheo/master/deadlines.h"
#include "rheo/master/peer_watch.h"
#include "rheo/master/step_gate.h"
#include "rheo/master/step_scope.h"

namespace rheo::master {

// What differs between runs, apart from the fed values.
struct StepOptions {
  service::ExecOptions exec;
  // When the answer leaves; nullopt: no deadline.
  service::Deadline answer_by;
  // The time the caller granted, for the message.
  Clock::duration granted{};
  StopToken stop;
  bool caller_waits = false;
  StepId step;  // of a partial run or a step with collectives; 0: a new one
  // Partial runs: parts are told, and the scope belongs to the partial run.
  bool is_partial = false;
  bool is_last_partial_run = false;
  std::vector<int> fetch_slots;  // partial: which fetches; otherwise all
  std::vector<int> feed_slots;   // partial: which feeds
};

// Lives as long as a call, a timer or its caller refers to it. Local runs are reused; see
// CompiledStep::TakeIdle.
class StepRun : public std::enable_shared_from_this<StepRun> {
 public:
  // Runs once, on the thread of the last answer, perhaps inside Start(). The run's results may be
  // taken in it.
  using Done = absl::AnyInvocable<void(Status, StepRun&)>;

  // A run that nobody uses. All arguments outlive it or are shared.
  static std::shared_ptr<StepRun> Make(std::shared_ptr<const CompiledStep> step,
                                       const std::shared_ptr<StepGate>& gate, TimerQueue& timers);
  StepRun(std::shared_ptr<const CompiledStep> step, std::shared_ptr<StepGate> gate,
          TimerQueue& timers);

  // Before Start: the value of a feed, by its slot in the signature.
  void SetFeed(int slot, Tensor value);
  // Starts the step. FAILED_PRECONDITION when the session is closed.
  void Start(StepOptions options, Done done);

  // In the callback, after success.
  const Tensor& Fetch(int slot) const;
  service::RunMetadata TakeMetadata();
  StepId step_id() const { return step_id_; }

 private:
  const std::string& client_task() const {
    return step_->parts[static_cast<size_t>(step_->client_part)].task;
  }

  struct Part {
    StepRun* run;
    size_t index;
    service::RunGraphRequest request;
    service::RunGraphResponse response;
    service::Call call;
    StopSource stop;
    std::shared_ptr<PeerWatch> watch;  // of a task that the transport does not watch
    // Guarded by mutex_:
    Status lost;  // why `watch` gave the task up; OK: it did not
    Status status;
    bool answered = false;
  };

  void PrepareParts();
  void Watch();
  void WatchPeers();
  void OnLost(size_t i, Status status);
  void OnPart(size_t i, Status status);
  void Deliver(std::vector<rendezvous::PushedTensor> pushed);
  void CleanUp();
  void Stop(Status reason);
  void AnswerLate();
  Status StopStatus() const RHEO_REQUIRES(mutex_);
  Status Outcome() RHEO_REQUIRES(mutex_);
  Status CheckFetches();
  // What the last answer leads to.
  struct Ending {
    Done done;  // null when the step was answered before
    Status outcome;
    bool is_reusable = false;
  };
  Ending MakeEnding() RHEO_REQUIRES(mutex_);
  void Finish(Ending ending);
  void FinishEmpty();  // a step whose every node was found superfluous
  void Unwatch();
  // Makes the object ready for another run.
  void ForgetRun();

  std::shared_ptr<const CompiledStep> step_;  // null while idle
  const std::shared_ptr<StepGate> gate_;
  TimerQueue& timers_;
  // Fixed by the constructor; each part's call is confined to the callee while it is in flight.
  std::vector<std::unique_ptr<Part>> parts_;
  StepOptions options_;
  StepId step_id_;
  std::optional<StepScope> scope_;
  std::optional<StopCallback> on_stop_;
  std::optional<StopCallback> on_close_;

  Mutex mutex_;
  Done done_ RHEO_GUARDED_BY(mutex_);
  size_t remaining_ RHEO_GUARDED_BY(mutex_) = 0;
  bool has_root_error_ RHEO_GUARDED_BY(mutex_) = false;
  Status stop_reason_ RHEO_GUARDED_BY(mutex_);  // OK: nobody stopped the step
  std::optional<TimerQueue::Id> deadline_timer_ RHEO_GUARDED_BY(mutex_);
  std::optional<TimerQueue::Id> late_timer_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::master

#endif  // RHEO_MASTER_STEP_RUN_H_
