#include "rheo/master/cleanups.h"

#include <algorithm>
#include <utility>

#include "rheo/base/log.h"

namespace rheo::master {
namespace {

constexpr std::chrono::seconds kTimeout(10);

// Sends `request` by `method`, in messages of its own each time that it is called.
template <typename Request, typename Response>
auto Sender(void (service::WorkerService::*method)(const Request&, Response*, const service::Call&,
                                                   DoneCallback),
            Request request) {
  struct Try {
    Request request;
    Response response;
    service::Call call;
  };
  return [method, request = std::move(request)](service::WorkerService& to, DoneCallback done) {
    auto attempt = std::make_shared<Try>();
    attempt->request = request;
    attempt->call.deadline = std::chrono::steady_clock::now() + kTimeout;
    const Try& t = *attempt;
    (to.*method)(t.request, &attempt->response, t.call,
                 [attempt, done = std::move(done)](Status status) mutable {
                   std::move(done)(std::move(status));
                 });
  };
}

// The worker has not had a say.
bool MayArriveLater(const Status& status) {
  return status.code() == StatusCode::kUnavailable ||
         status.code() == StatusCode::kDeadlineExceeded;
}

}  // namespace

void Cleanups::EndStep(const Worker& worker, StepId step) {
  service::CleanupGraphRequest request;
  request.step = step;
  Start(worker, Sender(&service::WorkerService::CleanupGraph, std::move(request)),
        [step](const Status& status) {
          if (!status.ok()) RHEO_LOG(Debug, "clean-up of step {}: {}", step.value, Message(status));
        });
}

void Cleanups::ForgetGraph(const Worker& worker, const SessionHandle& session,
                           const GraphHandle& graph) {
  service::DeregisterGraphRequest request;
  request.session = session;
  request.graph = graph;
  Start(worker, Sender(&service::WorkerService::DeregisterGraph, std::move(request)),
        [graph](const Status& status) {
          if (status.ok()) return;
          RHEO_LOG(Debug, "deregistration of {}: {}", graph.value, Message(status));
        });
}

void Cleanups::EndSession(const Worker& worker, const SessionHandle& session,
                          DoneCallback first_answer) {
  service::DeleteWorkerSessionRequest request;
  request.session = session;
  Start(worker, Sender(&service::WorkerService::DeleteWorkerSession, std::move(request)),
        std::move(first_answer));
}

void Cleanups::Stop() {
  absl::flat_hash_map<service::WorkerService*, Line> lines;  // destroyed without the lock
  MutexLock lock(mutex_);
  stopped_ = true;
  lines.swap(lines_);
  lock.Unlock();
}

void Cleanups::Start(const Worker& worker, Send send, DoneCallback first_answer) {
  const Send first = send;
  first(*worker, [self = shared_from_this(), worker, send = std::move(send),
                  first_answer = std::move(first_answer)](Status status) mutable {
    if (MayArriveLater(status)) self->Owe(worker, std::move(send));
    std::move(first_answer)(std::move(status));
  });
}

void Cleanups::Owe(const Worker& worker, Send send) {
  MutexLock lock(mutex_);
  if (stopped_) return;
  auto it = lines_.find(worker.get());
  if (it == lines_.end()) {
    if (lines_.size() >= kMaxWorkers) return;
    it = lines_.try_emplace(worker.get(), Line{.worker = worker, .owed = {}, .wait = first_wait_})
             .first;
  }
  Line& line = it->second;
  line.owed.push_back(std::move(send));
  if (line.owed.size() > kMaxOwed) line.owed.pop_front();
  Wait(line);
}

void Cleanups::Wait(Line& line) {
  if (std::exchange(line.is_waiting, true)) return;
  timers_.Add(std::chrono::steady_clock::now() + line.wait,
              [weak = weak_from_this(), worker = line.worker.get()] {
                if (const auto self = weak.lock()) self->SendFirst(worker);
              });
  line.wait = std::min(line.wait * 2, longest_wait_);
}

// The first of what is owed finds out whether the worker is there; then the others follow, one
// after the other.
void Cleanups::SendFirst(service::WorkerService* key) {
  Worker worker;
  Send send;
  {
    MutexLock lock(mutex_);
    const auto it = lines_.find(key);
    if (it == lines_.end()) return;
    Line& line = it->second;
    line.is_waiting = true;  // until the answer
    if (line.owed.empty()) {
      worker = std::move(line.worker);  // goes without the lock
      lines_.erase(it);
      return lock.Unlock();
    }
    worker = line.worker;
    send = std::move(line.owed.front());
    line.owed.pop_front();
  }
  send(*worker, [self = shared_from_this(), worker, send](const Status& status) {
    {
      MutexLock lock(self->mutex_);
      const auto it = self->lines_.find(worker.get());
      if (it == self->lines_.end()) return;
      Line& line = it->second;
      if (MayArriveLater(status)) {
        line.is_waiting = false;
        line.owed.push_front(send);
        return self->Wait(line);
      }
      line.wait = self->first_wait_;
    }
    self->SendFirst(worker.get());
  });
}

}  // namespace rheo::master
