#include "rheo/master/step_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "rheo/master/step_errors.h"

namespace rheo::master {
namespace {

using std::chrono::milliseconds;

// How long after a stop the parts may take to say what they were doing.
constexpr milliseconds kGraceAfterDeadline(10);
constexpr milliseconds kGraceAfterStop(250);
// How long a task that another task's error points to may take to report the error itself.
constexpr milliseconds kGraceForOrigin(200);

}  // namespace

std::shared_ptr<StepRun> StepRun::Make(std::shared_ptr<const CompiledStep> step,
                                       const std::shared_ptr<StepGate>& gate, TimerQueue& timers) {
  if (std::shared_ptr<StepRun> idle = step->TakeIdle()) {
    idle->step_ = std::move(step);
    return idle;
  }
  return std::make_shared<StepRun>(std::move(step), gate, timers);
}

StepRun::StepRun(std::shared_ptr<const CompiledStep> step, std::shared_ptr<StepGate> gate,
                 TimerQueue& timers)
    : step_(std::move(step)), gate_(std::move(gate)), timers_(timers) {
  for (size_t i = 0; i < step_->parts.size(); ++i) {
    auto part = std::make_unique<Part>();
    part->run = this;
    part->index = i;
    part->call.stop = part->stop.get_token();
    part->request.session = step_->session;
    part->request.graph = step_->parts[i].graph;
    if (static_cast<int>(i) == step_->client_part) {
      for (const auto& key : step_->feed_keys) part->request.sends.push_back({key, Tensor()});
      part->request.recv_keys = step_->fetch_keys;
    }
    parts_.push_back(std::move(part));
  }
}

void StepRun::SetFeed(int slot, Tensor value) {
  if (step_->client_part == CompiledStep::kNoPart) return;  // nothing that runs reads any feed
  Part& client = *parts_[static_cast<size_t>(step_->client_part)];
  client.request.sends[static_cast<size_t>(slot)].tensor = std::move(value);
}

void StepRun::Start(StepOptions options, Done done) {
  if (Status entered = gate_->Enter(); !entered.ok()) return done(std::move(entered), *this);
  options_ = std::move(options);
  step_id_ = options_.step != StepId() ? options_.step : NewStepId();
  PrepareParts();
  {
    MutexLock lock(mutex_);
    done_ = std::move(done);
    remaining_ = parts_.size();
  }
  if (parts_.empty()) return FinishEmpty();
  std::shared_ptr<StepRun> self = shared_from_this();
  Watch();
  const std::shared_ptr<const CompiledStep> step = step_;
  const size_t count = step->parts.size();
  for (size_t i = 0; i < count; ++i) {
    Part& part = *parts_[i];
    // The part, and with it the run: one pointer, which fits into the callback. After the last part
    // the run may be gone.
    std::shared_ptr<Part> held(i + 1 == count ? std::move(self) : self, &part);
    step->parts[i].worker->RunGraph(part.request, &part.response, part.call,
                                    [held = std::move(held)](Status status) {
                                      held->run->OnPart(held->index, std::move(status));
                                    });
  }
}

void StepRun::PrepareParts() {
  for (size_t i = 0; i < parts_.size(); ++i) {
    service::RunGraphRequest& request = parts_[i]->request;
    request.step = step_id_;
    request.exec = options_.exec;
    request.is_partial = options_.is_partial;
    request.is_last_partial_run = options_.is_last_partial_run;
    const bool is_client = static_cast<int>(i) == step_->client_part;
    const bool answer_carries = !is_client && !options_.is_partial && step_->parts[i].is_rheo &&
                                step_->client_part != CompiledStep::kNoPart;
    if (answer_carries) request.answer_carries_for = client_task();
    // A direct call is not repeated by any transport, so nothing needs to be detected.
    if (!is_client) request.request_id = NewRequestId();
    parts_[i]->call.caller_waits = options_.caller_waits && is_client;
    if (!options_.is_partial || !is_client) continue;
    std::vector<service::KeyedTensor> sends;
    for (int slot : options_.feed_slots) {
      sends.push_back(std::move(request.sends[static_cast<size_t>(slot)]));
    }
    request.sends = std::move(sends);
    request.recv_keys.clear();
    for (int slot : options_.fetch_slots) {
      request.recv_keys.push_back(step_->fetch_keys[static_cast<size_t>(slot)]);
    }
  }
  if (step_->is_local || options_.is_partial) return;
  std::vector<std::shared_ptr<service::WorkerService>> workers;
  for (const StepPart& part : step_->parts) workers.push_back(part.worker);
  scope_.emplace(step_id_, std::move(workers), step_->cleanups);
}

void StepRun::Watch() {
  if (options_.answer_by) {
    MutexLock lock(mutex_);
    deadline_timer_ = timers_.Add(*options_.answer_by, [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (self == nullptr) return;
      self->Stop(DeadlineExceeded(
          "the step did not finish within {} ms",
          std::chrono::duration_cast<milliseconds>(self->options_.granted).count()));
    });
  }
  WatchPeers();
  // The callbacks end with the run: Unwatch() destroys them before this object can go.
  on_close_.emplace(gate_->closing(), [this] { Stop(gate_->reason()); });
  if (options_.stop.stop_possible()) {
    on_stop_.emplace(options_.stop,
                     [this] { Stop(Cancelled("the step was cancelled by its caller")); });
  }
}

void StepRun::WatchPeers() {
  for (size_t i = 0; i < parts_.size(); ++i) {
    const StepPart& part = step_->parts[i];
    if (part.is_rheo) continue;
    parts_[i]->watch =
        PeerWatch::Start(timers_, part.task, part.worker, [weak = weak_from_this(), i](Status s) {
          if (const auto self = weak.lock()) self->OnLost(i, std::move(s));
        });
  }
}

// The part's own call may wait for the network for a long time yet.
void StepRun::OnLost(size_t i, Status status) {
  {
    MutexLock lock(mutex_);
    parts_[i]->lost = std::move(status);
  }
  parts_[i]->stop.request_stop();
}

// The own task's part may go on, and end, inside.
void StepRun::Deliver(std::vector<rendezvous::PushedTensor> pushed) {
  struct Delivery {
    service::PushTensorsRequest request;
    service::PushTensorsResponse response;
    service::Call call;
  };
  auto delivery = std::make_shared<Delivery>();
  delivery->request.tensors = std::move(pushed);
  step_->parts[static_cast<size_t>(step_->client_part)].worker->PushTensors(
      delivery->request, &delivery->response, delivery->call, [delivery](const Status&) {});
}

void StepRun::OnPart(size_t i, Status status) {
  Part& part = *parts_[i];
  if (status.ok() && !part.response.pushed.empty() && !part.request.answer_carries_for.empty()) {
    Deliver(std::move(part.response.pushed));
  }
  if (status.code() == StatusCode::kCancelled && part.stop.stop_requested()) {
    status = AsDerived(std::move(status));
  }
  if (part.watch != nullptr) part.watch->Stop();
  std::vector<size_t> to_stop;
  std::vector<size_t> origins;
  std::optional<Ending> ending;
  {
    MutexLock lock(mutex_);
    if (!status.ok() && !part.lost.ok()) status = part.lost;
    const bool is_first_root = !status.ok() && !IsDerived(status) && !has_root_error_;
    part.answered = true;
    --remaining_;
    if (is_first_root && stop_reason_.ok()) {
      has_root_error_ = true;
      for (size_t j = 0; j < parts_.size(); ++j) {
        if (parts_[j]->answered) continue;
        const bool is_origin =
            Message(status).find("remote target " + step_->parts[j].task) != std::string_view::npos;
        (is_origin ? origins : to_stop).push_back(j);
      }
    }
    part.status = std::move(status);
    if (remaining_ == 0) ending = MakeEnding();
  }
  for (size_t j : to_stop) parts_[j]->stop.request_stop();
  for (size_t j : origins) {
    timers_.Add(Clock::now() + kGraceForOrigin,
                [self = shared_from_this(), j] { self->parts_[j]->stop.request_stop(); });
  }
  if (ending) Finish(*std::move(ending));
}

void StepRun::Stop(Status reason) {
  const std::shared_ptr<StepRun> self = shared_from_this();  // the parts may end it while they stop
  {
    MutexLock lock(mutex_);
    if (remaining_ == 0 || !stop_reason_.ok()) return;
    const bool is_deadline = reason.code() == StatusCode::kDeadlineExceeded;
    stop_reason_ = std::move(reason);
    late_timer_ = timers_.Add(Clock::now() + (is_deadline ? kGraceAfterDeadline : kGraceAfterStop),
                              [weak = weak_from_this()] {
                                if (const auto self = weak.lock()) self->AnswerLate();
                              });
  }
  for (const auto& part : parts_) part->stop.request_stop();
}

void StepRun::AnswerLate() {
  Done done;
  Status outcome;
  {
    MutexLock lock(mutex_);
    if (remaining_ == 0) return;
    done = std::exchange(done_, nullptr);
    outcome = Outcome();
  }
  if (done != nullptr) done(std::move(outcome), *this);
}

// The reason with what each part was doing, so that the reader learns what the step waited for.
Status StepRun::StopStatus() const {
  std::string doing;
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = *parts_[i];
    if (part.answered && part.status.ok()) continue;
    doing += fmt::format("\n{}: {}", step_->parts[i].task,
                         part.answered ? Message(part.status) : "has not answered");
  }
  if (stop_reason_.code() != StatusCode::kDeadlineExceeded) return stop_reason_;
  return Append(stop_reason_, "; it was waiting for:" + doing);
}

Status StepRun::Outcome() {
  std::vector<PartStatus> failures;
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i]->answered && !parts_[i]->status.ok()) {
      failures.push_back({step_->parts[i].task, parts_[i]->status});
    }
  }
  if (failures.empty() && remaining_ == 0) return OkStatus();
  if (!has_root_error_ && !stop_reason_.ok()) return StopStatus();
  return AggregateErrors(failures);
}

// Puts the answered values in order of the keys asked for.
Status StepRun::CheckFetches() {
  if (step_->client_part == CompiledStep::kNoPart) return OkStatus();
  Part& client = *parts_[static_cast<size_t>(step_->client_part)];
  const std::vector<rendezvous::RendezvousKey>& keys = client.request.recv_keys;
  std::vector<service::KeyedTensor>& recvs = client.response.recvs;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i < recvs.size() && recvs[i].key == keys[i]) continue;
    const auto found = std::ranges::find(recvs, keys[i], &service::KeyedTensor::key);
    if (found == recvs.end()) return Internal("no value came for the fetch {}", keys[i].Describe());
    std::swap(recvs[i], *found);
  }
  if (recvs.size() > keys.size()) {
    return Internal("Unexpected fetch key: {}", recvs[keys.size()].key.Describe());
  }
  return OkStatus();
}

void StepRun::Unwatch() {
  on_stop_.reset();
  on_close_.reset();
}

// From here on nothing changes any more: a stop that comes later finds no part left.
StepRun::Ending StepRun::MakeEnding() {
  Ending ending{.done = std::exchange(done_, nullptr), .outcome = Outcome()};
  ending.is_reusable =
      step_->is_local && !options_.is_partial && ending.outcome.ok() && stop_reason_.ok();
  // A timer that cannot be taken back may still act on this run.
  if (deadline_timer_ && !timers_.Cancel(*deadline_timer_)) ending.is_reusable = false;
  if (late_timer_) timers_.Cancel(*late_timer_);
  deadline_timer_.reset();
  late_timer_.reset();
  return ending;
}

void StepRun::FinishEmpty() {
  std::optional<Ending> ending;
  {
    MutexLock lock(mutex_);
    ending = MakeEnding();
  }
  Finish(*std::move(ending));
}

void StepRun::CleanUp() {
  if (!scope_) return;
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i]->status.ok() && parts_[i]->response.step_is_over) scope_->NeedsNoCleanup(i);
  }
  scope_.reset();
}

void StepRun::Finish(Ending ending) {
  std::shared_ptr<StepRun> self = shared_from_this();
  Unwatch();
  if (ending.outcome.ok()) ending.outcome = CheckFetches();
  if (ending.done != nullptr) ending.done(std::move(ending.outcome), *this);
  CleanUp();
  gate_->Leave();
  const std::shared_ptr<const CompiledStep> step = std::exchange(step_, nullptr);
  if (!ending.is_reusable) return;
  ForgetRun();
  step->ReturnIdle(std::move(self));
}

void StepRun::ForgetRun() {
  options_ = {};
  for (const auto& part : parts_) {
    for (service::KeyedTensor& send : part->request.sends) send.tensor = Tensor();
    part->response.recvs.clear();
    part->response.step_stats = {};
    part->response.partition_graphs.clear();
    part->response.cost_graph.clear();
    part->response.costs.clear();
    part->response.step_is_over = false;
    part->answered = false;
    part->status = OkStatus();
  }
}

const Tensor& StepRun::Fetch(int slot) const {
  size_t position = static_cast<size_t>(slot);
  if (options_.is_partial) {
    const auto found = std::ranges::find(options_.fetch_slots, slot);
    position = static_cast<size_t>(found - options_.fetch_slots.begin());
  }
  return parts_[static_cast<size_t>(step_->client_part)]->response.recvs[position].tensor;
}

service::RunMetadata StepRun::TakeMetadata() {
  service::RunMetadata metadata;
  for (const auto& part : parts_) {
    service::RunGraphResponse& response = part->response;
    if (options_.exec.record_timeline) {
      std::ranges::move(response.step_stats.devices,
                        std::back_inserter(metadata.step_stats.devices));
    }
    std::ranges::move(response.partition_graphs, std::back_inserter(metadata.partition_graphs));
    std::ranges::move(response.costs, std::back_inserter(metadata.costs));
    metadata.cost_graph += response.cost_graph;  // serialized messages merge by concatenation
  }
  return metadata;
}

}  // namespace rheo::master
