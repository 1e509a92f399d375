#include "rheo/master/step_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "rheo/master/deadlines.h"

namespace rheo::master {
namespace {

constexpr std::chrono::seconds kPatience(30);
// How often, and after what time each, a leader is asked again that is in a step which failed here.
constexpr int kMaxRepeats = 6;
constexpr std::chrono::milliseconds kPause(50);
// How long another task may take to hear that a step has failed.
constexpr std::chrono::seconds kTellingPatience(10);

// Asks the leader; owned by its callbacks.
class Question : public std::enable_shared_from_this<Question> {
 public:
  Question(const MasterEnv& env, TimerQueue& timers, int64_t graph_key, service::Call call,
           absl::AnyInvocable<void(StatusOr<StepId>)> done)
      : sequences_(env.step_sequences),
        leader_name_(env.default_config.collective_group_leader),
        leader_(env.workers->Find(leader_name_)),
        timers_(timers),
        graph_key_(graph_key),
        call_(std::move(call)),
        done_(std::move(done)) {
    request_.graph_keys.push_back(graph_key);
  }

  void Ask() {
    if (leader_ == nullptr) {
      return done_(
          InvalidArgument("the leader of collectives, {}, is not in the cluster", leader_name_));
    }
    response_ = {};
    leader_->GetStepSequence(
        request_, &response_, call_,
        [self = shared_from_this()](Status status) { self->OnAnswer(std::move(status)); });
  }

 private:
  void OnAnswer(Status status) {
    if (!status.ok()) {
      return done_(Prefix(
          status,
          fmt::format("asking {} for the next step of a graph with collectives: ", leader_name_)));
    }
    const auto& sequences = response_.sequences;
    const auto found = std::ranges::find(sequences, graph_key_,
                                         &service::GetStepSequenceResponse::Sequence::graph_key);
    if (found == sequences.end()) {
      return done_(Internal("{} does not tell the next step of the graph", leader_name_));
    }
    if (sequences_->HasFailed(graph_key_, found->next) && ++repeats_ <= kMaxRepeats) {
      timers_.Add(Clock::now() + kPause, [self = shared_from_this()] { self->Ask(); });
      return;
    }
    Status known = sequences_->SetNext(graph_key_, found->next);
    if (!known.ok()) return done_(std::move(known));
    done_(sequences_->Take(graph_key_));
  }

  const std::shared_ptr<service::StepSequences> sequences_;
  const std::string leader_name_;
  const std::shared_ptr<service::WorkerService> leader_;
  TimerQueue& timers_;
  const int64_t graph_key_;
  const service::Call call_;
  // Confined to one question at a time.
  service::GetStepSequenceRequest request_;
  service::GetStepSequenceResponse response_;
  int repeats_ = 0;
  absl::AnyInvocable<void(StatusOr<StepId>)> done_;
};

}  // namespace

void TakeStepId(const MasterEnv& env, TimerQueue& timers, int64_t graph_key, StopToken stop,
                service::Deadline deadline, absl::AnyInvocable<void(StatusOr<StepId>)> done) {
  const std::string& leader = env.default_config.collective_group_leader;
  if (leader.empty() || leader == env.task_name || !env.step_sequences->NeedsLeader(graph_key)) {
    return done(env.step_sequences->Take(graph_key));
  }
  const Clock::time_point latest = Clock::now() + kPatience;
  service::Call call{.stop = std::move(stop),
                     .deadline = std::min(deadline.value_or(latest), latest),
                     .wait_for_ready = true};
  std::make_shared<Question>(env, timers, graph_key, std::move(call), std::move(done))->Ask();
}

void ReturnStepId(const MasterEnv& env, int64_t graph_key, StepId step, const Status& status) {
  env.step_sequences->Return(graph_key, step, status.ok());
  if (status.ok() || env.default_config.collective_group_leader.empty()) return;
  struct Telling {
    service::GetStepSequenceRequest request;
    service::GetStepSequenceResponse response;
  };
  service::GetStepSequenceRequest request;
  std::string reason = env.task_name + ": ";
  reason += status.ToString();
  reason.resize(std::min(reason.size(), service::GetStepSequenceRequest::kMaxReason));
  request.failed.push_back({graph_key, step, std::move(reason)});
  for (const std::string& task : env.workers->TaskNames()) {
    const std::shared_ptr<service::WorkerService> worker =
        task == env.task_name ? nullptr : env.workers->Find(task);
    if (worker == nullptr) continue;
    const auto telling = std::make_shared<Telling>();
    telling->request = request;
    worker->GetStepSequence(telling->request, &telling->response,
                            {.deadline = Clock::now() + kTellingPatience},
                            [worker, telling](const Status&) {});
  }
}

}  // namespace rheo::master
