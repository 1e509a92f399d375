#include "rheo/master/master.h"

#include <fmt/format.h>

#include <utility>

#include "rheo/base/log.h"
#include "rheo/master/cleanups.h"
#include "rheo/master/deadlines.h"
#include "rheo/master/discovery.h"
#include "rheo/master/master_session.h"
#include "rheo/master/session_setup.h"
#include "rheo/master/session_table.h"
#include "rheo/master/when_all.h"
#include "rheo/service/recent_requests.h"

namespace rheo::master {
namespace {

using namespace service;  // NOLINT(google-build-using-namespace): its requests and responses

constexpr std::chrono::seconds kResetTimeout(10);

Status ClosedByClient() {
  return Cancelled("Step was cancelled by an explicit call to `Session::Close()`.");
}

class MasterImpl final : public Master {
 public:
  explicit MasterImpl(MasterEnv env) : env_(Completed(std::move(env))) {
    if (env_.session_idle_limit.count() > 0) ScheduleSweep();
  }
  ~MasterImpl() override { Stop(Aborted("the master was shut down")); }

  void CreateSession(const CreateSessionRequest& request, CreateSessionResponse* response,
                     const Call& call, DoneCallback done) override;
  void ExtendSession(const ExtendSessionRequest& request, ExtendSessionResponse* response,
                     const Call& call, DoneCallback done) override;
  void PartialRunSetup(const PartialRunSetupRequest& request, PartialRunSetupResponse* response,
                       const Call& call, DoneCallback done) override;
  void RunStep(const RunStepRequest& request, RunStepResponse* response, const Call& call,
               DoneCallback done) override;
  void CloseSession(const CloseSessionRequest& request, CloseSessionResponse* response,
                    const Call& call, DoneCallback done) override;
  void ListDevices(const ListDevicesRequest& request, ListDevicesResponse* response,
                   const Call& call, DoneCallback done) override;
  void Reset(const ResetRequest& request, ResetResponse* response, const Call& call,
             DoneCallback done) override;
  void MakeCallable(const MakeCallableRequest& request, MakeCallableResponse* response,
                    const Call& call, DoneCallback done) override;
  void RunCallable(const RunCallableRequest& request, RunCallableResponse* response,
                   const Call& call, DoneCallback done) override;
  void ReleaseCallable(const ReleaseCallableRequest& request, ReleaseCallableResponse* response,
                       const Call& call, DoneCallback done) override;

  void Stop(const Status& reason) override;
  int num_sessions() const override { return sessions_.size(); }

 private:
  Status NoSession(const SessionHandle& handle) const;
  // Closes sessions that nobody uses any more, again and again.
  void ScheduleSweep();
  void Sweep();
  // Counts a call as running until its `done` ran; the reason of Stop() after that.
  Status Enter();
  DoneCallback LeaveAfter(DoneCallback done);
  void ListClusterDevices(ListDevicesResponse* response, const Call& call, DoneCallback done);
  void CleanupAll(const ResetRequest& request, DoneCallback done);

  static MasterEnv Completed(MasterEnv env) {
    if (env.step_sequences == nullptr) {
      env.step_sequences = std::make_shared<service::StepSequences>();
    }
    return env;
  }

  const MasterEnv env_;
  TimerQueue timers_;
  const std::shared_ptr<Cleanups> cleanups_ = std::make_shared<Cleanups>(timers_);
  RecentRequests recent_requests_;
  SessionTable sessions_;
  StepGate gate_;  // of calls outside sessions
};

Status MasterImpl::NoSession(const SessionHandle& handle) const {
  if (Status stopped = gate_.reason(); !stopped.ok()) return stopped;
  return Aborted("Session {} is not found.", handle.value);
}

void MasterImpl::ScheduleSweep() {
  timers_.Add(Clock::now() + env_.session_idle_limit / 4, [this] {
    if (!gate_.reason().ok()) return;
    Sweep();
    ScheduleSweep();
  });
}

void MasterImpl::Sweep() {
  for (const auto& session : sessions_.RemoveUnused(Clock::now(), env_.session_idle_limit)) {
    RHEO_LOG(Warning, "closing session {}: nobody used it for {} s", session->handle().value,
             env_.session_idle_limit.count() / 1000);
    if (!gate_.Enter().ok()) return;
    session->Close(Aborted("the session was closed because nobody used it"),
                   [this] { gate_.Leave(); });
  }
}

Status MasterImpl::Enter() { return gate_.Enter().ok() ? OkStatus() : gate_.reason(); }

DoneCallback MasterImpl::LeaveAfter(DoneCallback done) {
  return [this, done = std::move(done)](Status status) mutable {
    done(std::move(status));
    gate_.Leave();
  };
}

void MasterImpl::CreateSession(const CreateSessionRequest& request, CreateSessionResponse* response,
                               const Call& call, DoneCallback done) {
  if (Status entered = Enter(); !entered.ok()) return done(std::move(entered));
  if (!sessions_.Reserve(env_.limits.sessions)) {
    return LeaveAfter(std::move(done))(service::BeyondLimit(
        fmt::format("{} has {} open sessions; close some, or let --session_idle_limit close those "
                    "that nobody uses",
                    env_.task_name, sessions_.size()),
        env_.limits.sessions, "max_sessions"));
  }
  SetUpSession(env_, timers_, cleanups_, request, call, gate_.closing(),
               [this, response, done = LeaveAfter(std::move(done))](
                   StatusOr<std::shared_ptr<MasterSession>> session) mutable {
                 if (!session.ok()) {
                   sessions_.Unreserve();
                   return done(session.status());
                 }
                 response->session = (*session)->handle();
                 response->graph_version = 0;
                 response->is_rheo = true;
                 if (sessions_.Add(*session)) return done(OkStatus());
                 (*session)->Close(gate_.reason(), [] {});
                 done(gate_.reason());
               });
}

void MasterImpl::ExtendSession(const ExtendSessionRequest& request, ExtendSessionResponse* response,
                               const Call& call, DoneCallback done) {
  const auto session = sessions_.Find(request.session);
  if (session == nullptr) return done(NoSession(request.session));
  session->Extend(request, response, call, std::move(done));
}

void MasterImpl::PartialRunSetup(const PartialRunSetupRequest& request,
                                 PartialRunSetupResponse* response, const Call& call,
                                 DoneCallback done) {
  Status is_new = recent_requests_.Check(request.request_id, "PartialRunSetup (Master)");
  if (!is_new.ok()) return done(std::move(is_new));
  const auto session = sessions_.Find(request.session);
  if (session == nullptr) return done(NoSession(request.session));
  session->PartialRunSetup(request, response, call, std::move(done));
}

void MasterImpl::RunStep(const RunStepRequest& request, RunStepResponse* response, const Call& call,
                         DoneCallback done) {
  Status is_new = recent_requests_.Check(request.request_id, "RunStep (Master)");
  if (!is_new.ok()) return done(std::move(is_new));
  const auto session = sessions_.Find(request.session);
  if (session == nullptr) return done(NoSession(request.session));
  session->RunStep(request, response, call, std::move(done));
}

void MasterImpl::CloseSession(const CloseSessionRequest& request, CloseSessionResponse* response,
                              const Call& call, DoneCallback done) {
  if (Status entered = Enter(); !entered.ok()) return done(std::move(entered));
  done = LeaveAfter(std::move(done));
  const auto session = sessions_.Remove(request.session);
  if (session == nullptr) {
    return done(Append(NoSession(request.session), " Possibly, this master has restarted."));
  }
  session->Close(ClosedByClient(), [done = std::move(done)]() mutable { done(OkStatus()); });
}

void MasterImpl::ListDevices(const ListDevicesRequest& request, ListDevicesResponse* response,
                             const Call& call, DoneCallback done) {
  if (request.session.value.empty()) return ListClusterDevices(response, call, std::move(done));
  const auto session = sessions_.Find(request.session);
  if (session == nullptr) {
    return done(InvalidArgument("Session {} is not found. Possibly, this master has restarted.",
                                request.session.value));
  }
  const std::vector<Task>& tasks = session->cluster().tasks();
  response->local_devices = tasks.front().devices;
  for (size_t i = 1; i < tasks.size(); ++i) {
    response->remote_devices.insert(response->remote_devices.end(), tasks[i].devices.begin(),
                                    tasks[i].devices.end());
  }
  done(OkStatus());
}

void MasterImpl::ListClusterDevices(ListDevicesResponse* response, const Call& call,
                                    DoneCallback done) {
  if (Status entered = Enter(); !entered.ok()) return done(std::move(entered));
  const Clock::time_point now = Clock::now();
  DiscoveryRequest discovery;
  discovery.directory = env_.workers;
  discovery.own_task = env_.task_name;
  discovery.local_devices = env_.local_devices;
  discovery.tasks_have_other_names = true;  // whatever answers is listed, under the name asked for
  discovery.deadline = AnswerBy(call.deadline, now).value_or(now + env_.forming_timeout);
  discovery.stop = call.stop.stop_possible() ? call.stop : gate_.closing();
  DiscoverTasks(
      timers_, std::move(discovery),
      [response, done = LeaveAfter(std::move(done))](StatusOr<std::vector<Task>> tasks) mutable {
        if (!tasks.ok()) return done(tasks.status());
        for (size_t i = 0; i < tasks->size(); ++i) {
          auto& list = i == 0 ? response->local_devices : response->remote_devices;
          const std::vector<device::DeviceInfo>& devices = (*tasks)[i].devices;
          list.insert(list.end(), devices.begin(), devices.end());
        }
        done(OkStatus());
      });
}

// Sessions go first, so that no step fills a container that was just emptied.
void MasterImpl::Reset(const ResetRequest& request, ResetResponse* response, const Call& call,
                       DoneCallback done) {
  if (Status entered = Enter(); !entered.ok()) return done(std::move(entered));
  const std::vector<std::shared_ptr<MasterSession>> sessions = sessions_.RemoveAll(/*shut=*/false);
  WhenAll(
      sessions.size(),
      [&](size_t i, DoneCallback closed) {
        sessions[i]->Close(ClosedByClient(),
                           [closed = std::move(closed)]() mutable { closed(OkStatus()); });
      },
      [this, &request, done = LeaveAfter(std::move(done))](const std::vector<Status>&) mutable {
        CleanupAll(request, std::move(done));
      });
}

void MasterImpl::CleanupAll(const ResetRequest& request, DoneCallback done) {
  const auto filters = ParseFilters(request.device_filters);
  if (!filters.ok()) return done(filters.status());
  struct Cleanup {
    CleanupAllRequest request;
    Call call;
    std::vector<std::string> tasks;
    std::vector<std::shared_ptr<WorkerService>> workers;
    std::vector<CleanupAllResponse> responses;
  };
  auto cleanup = std::make_shared<Cleanup>();
  cleanup->request.containers = request.containers;
  cleanup->call.deadline = Clock::now() + kResetTimeout;
  for (const std::string& task : env_.workers->TaskNames()) {
    if (!Admits(*filters, task)) continue;
    cleanup->tasks.push_back(task);
    cleanup->workers.push_back(env_.workers->Find(task));
  }
  cleanup->responses.resize(cleanup->tasks.size());
  WhenAll(
      cleanup->tasks.size(),
      [&](size_t i, DoneCallback cleaned) {
        cleanup->workers[i]->CleanupAll(cleanup->request, &cleanup->responses[i], cleanup->call,
                                        std::move(cleaned));
      },
      [cleanup, done = std::move(done)](const std::vector<Status>& statuses) mutable {
        for (size_t i = 0; i < statuses.size(); ++i) {
          if (statuses[i].ok()) continue;
          RHEO_LOG(Warning, "reset: {}: {}", cleanup->tasks[i], Message(statuses[i]));
        }
        done(OkStatus());
      });
}

void MasterImpl::MakeCallable(const MakeCallableRequest& request, MakeCallableResponse* response,
                              const Call& call, DoneCallback done) {
  Status is_new = recent_requests_.Check(request.request_id, "MakeCallable (Master)");
  if (!is_new.ok()) return done(std::move(is_new));
  const auto session = sessions_.Find(request.session);
  if (session == nullptr) return done(NoSession(request.session));
  session->MakeCallable(request, response, call, std::move(done));
}

void MasterImpl::RunCallable(const RunCallableRequest& request, RunCallableResponse* response,
                             const Call& call, DoneCallback done) {
  Status is_new = recent_requests_.Check(request.request_id, "RunCallable (Master)");
  if (!is_new.ok()) return done(std::move(is_new));
  const auto session = sessions_.Find(request.session);
  if (session == nullptr) return done(NoSession(request.session));
  session->RunCallable(request, response, call, std::move(done));
}

void MasterImpl::ReleaseCallable(const ReleaseCallableRequest& request,
                                 ReleaseCallableResponse* response, const Call& call,
                                 DoneCallback done) {
  const auto session = sessions_.Find(request.session);
  if (session == nullptr) return done(NoSession(request.session));
  session->ReleaseCallable(request.handle);
  done(OkStatus());
}

void MasterImpl::Stop(const Status& reason) {
  const std::vector<std::shared_ptr<MasterSession>> sessions = sessions_.RemoveAll(/*shut=*/true);
  Notification idle;
  gate_.Close(reason, [&idle] { idle.Notify(); });
  Notification closed;
  WhenAll(
      sessions.size(),
      [&](size_t i, DoneCallback session_closed) {
        sessions[i]->Close(reason, [session_closed = std::move(session_closed)]() mutable {
          session_closed(OkStatus());
        });
      },
      [&closed](const std::vector<Status>&) { closed.Notify(); });
  closed.Wait();
  idle.Wait();
  cleanups_->Stop();
}

}  // namespace

std::unique_ptr<Master> Master::Create(MasterEnv env) {
  return std::make_unique<MasterImpl>(std::move(env));
}

}  // namespace rheo::master
