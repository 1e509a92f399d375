#include "rheo/master/registration.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "rheo/base/log.h"
#include "rheo/master/step_errors.h"
#include "rheo/master/when_all.h"

namespace rheo::master {
namespace {

constexpr std::chrono::seconds kDeregisterTimeout(10);

struct Registration {
  PreparedStep prepared;
  std::vector<service::RegisterGraphResponse> responses;
  service::Call call;
  std::shared_ptr<AwaitedTasks> awaited;
  absl::AnyInvocable<void(CompiledResult)> done;
};

struct Deregistration {
  service::DeregisterGraphRequest request;
  service::DeregisterGraphResponse response;
  service::Call call;
};

void Deregister(const StepPart& part, const SessionHandle& session) {
  auto work = std::make_shared<Deregistration>();
  work->request.session = session;
  work->request.graph = part.graph;
  work->call.deadline = std::chrono::steady_clock::now() + kDeregisterTimeout;
  const Deregistration& w = *work;
  part.worker->DeregisterGraph(
      w.request, &work->response, w.call, [work, task = part.task](const Status& status) {
        if (!status.ok()) RHEO_LOG(Debug, "deregistration at {}: {}", task, Message(status));
      });
}

void Complete(Registration& registration, const std::vector<Status>& statuses) {
  CompiledStep& step = *registration.prepared.step;
  std::vector<PartStatus> parts;
  for (size_t i = 0; i < statuses.size(); ++i) {
    if (statuses[i].ok()) step.parts[i].graph = std::move(registration.responses[i].graph);
    parts.push_back({step.parts[i].task, statuses[i]});
  }
  Status status = AggregateErrors(parts);
  if (status.ok()) {
    registration.done(std::shared_ptr<const CompiledStep>(std::move(registration.prepared.step)));
    return;
  }
  for (size_t i = 0; i < statuses.size(); ++i) {
    if (statuses[i].ok()) Deregister(step.parts[i], step.session);
  }
  registration.done(std::move(status));
}

}  // namespace

void AwaitedTasks::Add(const std::string& task) {
  MutexLock lock(mutex_);
  tasks_.insert(task);
}

void AwaitedTasks::Remove(const std::string& task) {
  MutexLock lock(mutex_);
  if (const auto it = tasks_.find(task); it != tasks_.end()) tasks_.erase(it);
}

std::string AwaitedTasks::Describe() const {
  MutexLock lock(mutex_);
  if (tasks_.empty()) return "";
  const std::set<std::string> each(tasks_.begin(), tasks_.end());
  return fmt::format("; no answer yet from {}", fmt::join(each, ", "));
}

void RegisterParts(PreparedStep prepared, StopToken stop, std::shared_ptr<AwaitedTasks> awaited,
                   absl::AnyInvocable<void(CompiledResult)> done) {
  auto registration = std::make_shared<Registration>();
  registration->prepared = std::move(prepared);
  registration->responses.resize(registration->prepared.requests.size());
  registration->call.stop = std::move(stop);
  registration->done = std::move(done);
  registration->awaited = std::move(awaited);
  Registration& r = *registration;
  WhenAll(
      r.responses.size(),
      [&r](size_t i, DoneCallback part_done) {
        const StepPart& part = r.prepared.step->parts[i];
        r.awaited->Add(part.task);
        auto answered = [&r, i, part_done = std::move(part_done)](Status status) mutable {
          r.awaited->Remove(r.prepared.step->parts[i].task);
          std::move(part_done)(std::move(status));
        };
        part.worker->RegisterGraph(r.prepared.requests[i], &r.responses[i], r.call,
                                   std::move(answered));
      },
      [registration](const std::vector<Status>& statuses) { Complete(*registration, statuses); });
}

void DeregisterParts(const CompiledStep& step) {
  for (const StepPart& part : step.parts) Deregister(part, step.session);
}

}  // namespace rheo::master
