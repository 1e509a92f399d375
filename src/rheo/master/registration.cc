#include "rheo/master/registration.h"

#include <fmt/format.h>

#include <utility>

#include "rheo/master/step_errors.h"
#include "rheo/master/when_all.h"

namespace rheo::master {
namespace {

struct Registration {
  PreparedStep prepared;
  std::vector<service::RegisterGraphResponse> responses;
  service::Call call;
  std::shared_ptr<AwaitedTasks> awaited;
  absl::AnyInvocable<void(CompiledResult)> done;
};

void Deregister(const CompiledStep& step, const StepPart& part) {
  step.cleanups->ForgetGraph(part.worker, step.session, part.graph);
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
    if (statuses[i].ok()) Deregister(step, step.parts[i]);
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
  for (const StepPart& part : step.parts) Deregister(step, part);
}

}  // namespace rheo::master
