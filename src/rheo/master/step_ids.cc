#include "rheo/master/step_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "rheo/master/deadlines.h"

namespace rheo::master {
namespace {

constexpr std::chrono::seconds kPatience(30);

struct Question {
  std::shared_ptr<service::WorkerService> leader;
  service::GetStepSequenceRequest request;
  service::GetStepSequenceResponse response;
  service::Call call;
};

}  // namespace

void TakeStepId(const MasterEnv& env, int64_t graph_key, StopToken stop, service::Deadline deadline,
                absl::AnyInvocable<void(StatusOr<StepId>)> done) {
  const std::shared_ptr<service::StepSequences> sequences = env.step_sequences;
  const std::string& leader = env.default_config.collective_group_leader;
  if (leader.empty() || leader == env.task_name || !sequences->NeedsLeader(graph_key)) {
    return done(sequences->Take(graph_key));
  }
  auto question = std::make_shared<Question>();
  question->leader = env.workers->Find(leader);
  if (question->leader == nullptr) {
    return done(InvalidArgument("the leader of collectives, {}, is not in the cluster", leader));
  }
  const Clock::time_point latest = Clock::now() + kPatience;
  question->request.graph_keys.push_back(graph_key);
  question->call = {.stop = std::move(stop),
                    .deadline = std::min(deadline.value_or(latest), latest),
                    .wait_for_ready = true};
  question->leader->GetStepSequence(
      question->request, &question->response, question->call,
      [question, sequences, graph_key, leader, done = std::move(done)](Status status) mutable {
        if (!status.ok()) {
          return done(Prefix(
              status,
              fmt::format("asking {} for the next step of a graph with collectives: ", leader)));
        }
        for (const auto& sequence : question->response.sequences) {
          if (sequence.graph_key == graph_key) sequences->SetNext(graph_key, sequence.next);
        }
        done(sequences->Take(graph_key));
      });
}

}  // namespace rheo::master
