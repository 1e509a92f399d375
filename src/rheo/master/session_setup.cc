#include "rheo/master/session_setup.h"

#include <fmt/format.h>

#include <bit>
#include <optional>
#include <utility>

#include "rheo/base/log.h"
#include "rheo/master/discovery.h"
#include "rheo/master/when_all.h"

namespace rheo::master {
namespace {

using service::SessionConfig;

template <typename T>
std::shared_ptr<const T> Unowned(const T* object) {
  return std::shared_ptr<const T>(std::shared_ptr<void>(), object);
}

// The task of `cluster` that listens where the client connected.
StatusOr<std::string> OwnTaskIn(const service::ClusterSpec& cluster, std::string_view target) {
  constexpr std::string_view kScheme = "grpc://";
  if (target.starts_with(kScheme)) target.remove_prefix(kScheme.size());
  std::string own;
  for (const std::string& task : cluster.TaskNames()) {
    if (cluster.AddressOf(task) != target) continue;
    if (!own.empty()) {
      return InvalidArgument("the address '{}' belongs to both {} and {} in the cluster_def",
                             target, own, task);
    }
    own = task;
  }
  if (!own.empty()) return own;
  return InvalidArgument(
      "The master (current machine) is not included in the provided cluster_def. The session's "
      "target is '{}'; no task of the cluster_def has this address.",
      target);
}

// One CreateSession under way: discover → place → create worker sessions → done.
class Setup : public std::enable_shared_from_this<Setup> {
 public:
  using Done = absl::AnyInvocable<void(StatusOr<std::shared_ptr<MasterSession>>)>;

  Setup(const MasterEnv& env, TimerQueue& timers, std::shared_ptr<Cleanups> cleanups,
        const service::CreateSessionRequest& request, const service::Call& call, StopToken stop,
        Done done)
      : env_(env),
        timers_(timers),
        cleanups_(std::move(cleanups)),
        request_(request),
        call_(call),
        config_(service::MergeConfig(env.default_config, request.config)),
        done_(std::move(done)) {
    WatchStop(call.stop, stop_from_caller_);
    WatchStop(stop, stop_from_master_);
  }

  void Start() {
    Status status = CheckConfig();
    if (status.ok()) {  // before anybody is asked
      status = service::CheckGraphSize(graph::SizeOf(request_.graph), "the session's graph",
                                       env_.limits);
    }
    if (status.ok()) status = ChooseCluster();
    if (!status.ok()) return Finish(std::move(status));
    DiscoverTasks(timers_, MakeDiscovery(),
                  [self = shared_from_this()](StatusOr<std::vector<Task>> tasks) {
                    if (!tasks.ok()) return self->Finish(tasks.status());
                    self->OnTasks(*std::move(tasks));
                  });
  }

 private:
  void WatchStop(const StopToken& token, std::optional<StopCallback>& callback) {
    if (token.stop_possible())
      callback.emplace(token, [this] {
        // What follows from the stop may end this object.
        StopSource stop = stop_;
        stop.request_stop();
      });
  }

  Status CheckConfig() const {
    if (config_.use_per_session_threads || config_.num_session_thread_pools > 0) {
      return InvalidArgument("Distributed session does not support session thread pool options.");
    }
    return OkStatus();
  }

  Status ChooseCluster() {
    directory_ = env_.workers;
    own_task_ = env_.task_name;
    if (config_.cluster == nullptr || config_.cluster->empty()) return OkStatus();
    if (env_.make_directory == nullptr) {
      return InvalidArgument("this master cannot use a cluster_def: it has no network");
    }
    RHEO_ASSIGN_OR_RETURN(own_task_, OwnTaskIn(*config_.cluster, request_.target));
    directory_ = env_.make_directory(*config_.cluster, own_task_);
    is_propagated_ = true;
    return OkStatus();
  }

  DiscoveryRequest MakeDiscovery() {
    const Clock::time_point now = Clock::now();
    // The client's word counts, else the server's limit; a deadline of the call itself only
    // shortens, since client libraries set long ones on their own.
    const int64_t limit_ms = config_.operation_timeout_ms > 0 ? config_.operation_timeout_ms
                                                              : env_.forming_timeout.count();
    // Always bounded: a limit that is none waits as long as the default.
    constexpr std::chrono::minutes kDefaultLimit(10);
    deadline_ =
        WithTimeout(AnswerBy(call_.deadline, now), limit_ms, now).value_or(now + kDefaultLimit);
    return {.directory = directory_,
            .own_task = own_task_,
            .local_devices = env_.local_devices,
            .local_kernels = Unowned(env_.local_kernels),
            .local_kernels_fingerprint = env_.local_kernels_fingerprint,
            .tensorflow_kernels = Unowned(env_.tensorflow_kernels),
            .device_filters = config_.device_filters,
            .tasks_have_other_names = is_propagated_,
            .deadline = deadline_,
            .stop = stop_.get_token()};
  }

  void OnTasks(std::vector<Task> tasks) {
    auto place = [self = shared_from_this(), tasks = std::move(tasks)]() mutable {
      if (Status status = self->MakeSession(std::move(tasks)); !status.ok()) {
        return self->Finish(std::move(status));
      }
      self->CreateWorkerSessions();
    };
    if (env_.pool == nullptr) return place();
    env_.pool->Schedule(std::move(place));
  }

  Status MakeSession(std::vector<Task> tasks) {
    auto cluster = std::make_shared<const SessionCluster>(std::move(tasks), directory_);
    RHEO_ASSIGN_OR_RETURN(auto graph, NextGraphState(nullptr, request_.graph, *cluster, config_,
                                                     *env_.ops, env_.limits));
    session_ = std::make_shared<MasterSession>(env_, timers_, cleanups_, NewSessionHandle(),
                                               config_, std::move(cluster), std::move(graph));
    session_->option_warnings().Warn(session_->handle(), request_.config.without_effect);
    return OkStatus();
  }

  service::CreateWorkerSessionRequest RequestFor(const Task& task) const {
    const SessionCluster& cluster = session_->cluster();
    service::CreateWorkerSessionRequest request;
    request.session = session_->handle();
    const StatusOr<device::DeviceName> name = device::DeviceName::Parse(task.name);
    request.server_def.job_name = name->job.value_or("");
    request.server_def.task_index = name->task.value_or(0);
    request.isolate_session_state = config_.isolate_session_state;
    if (is_propagated_) {
      request.server_def.cluster = *config_.cluster;
      request.isolate_session_state = !config_.share_state_in_cluster_propagation;
    }
    if (config_.share_cluster_devices) request.cluster_devices = cluster.AllDevices();
    request.master_task = cluster.own_task().name;
    request.master_incarnation = std::bit_cast<int64_t>(cluster.client_device().incarnation.value);
    return request;
  }

  void CreateWorkerSessions() {
    const std::vector<Task>& tasks = session_->cluster().tasks();
    for (const Task& task : tasks) worker_requests_.push_back(RequestFor(task));
    worker_responses_.resize(tasks.size());
    worker_call_.stop = stop_.get_token();
    worker_call_.deadline = deadline_;
    WhenAll(
        tasks.size(),
        [&](size_t i, DoneCallback done) {
          tasks[i].worker->CreateWorkerSession(worker_requests_[i], &worker_responses_[i],
                                               worker_call_, std::move(done));
        },
        [self = shared_from_this()](const std::vector<Status>& statuses) {
          self->OnWorkerSessions(statuses);
        });
  }

  void OnWorkerSessions(const std::vector<Status>& statuses) {
    const std::vector<Task>& tasks = session_->cluster().tasks();
    for (size_t i = 0; i < statuses.size(); ++i) {
      if (statuses[i].ok()) continue;
      return Abandon(
          Prefix(statuses[i], fmt::format("creating a session on {} at {}: ", tasks[i].name,
                                          directory_->Address(tasks[i].name))));
    }
    if (stop_.stop_requested()) return Abandon(Cancelled("the caller gave up"));
    Finish(OkStatus());
  }

  // Answers at once; the worker sessions that exist go without being waited for.
  void Abandon(Status status) {
    session_->Close(status, [] {});
    session_ = nullptr;
    Finish(std::move(status));
  }

  void Finish(Status status) {
    stop_from_caller_.reset();
    stop_from_master_.reset();
    if (status.ok()) return done_(std::move(session_));
    // A task went away after it had answered: the client may well try again, but not in a tight
    // loop.
    if (status.code() == StatusCode::kUnavailable) {
      status = Status(StatusCode::kAborted, std::string(Message(status)));
    }
    done_(std::move(status));
  }

  const MasterEnv& env_;
  TimerQueue& timers_;
  const std::shared_ptr<Cleanups> cleanups_;
  const service::CreateSessionRequest& request_;
  const service::Call& call_;
  const SessionConfig config_;
  Done done_;
  StopSource stop_;  // the caller's stop or the master's
  std::optional<StopCallback> stop_from_caller_;
  std::optional<StopCallback> stop_from_master_;
  // The rest is set by one stage and read by the later ones.
  std::shared_ptr<service::WorkerDirectory> directory_;
  std::string own_task_;
  bool is_propagated_ = false;
  Clock::time_point deadline_;
  std::shared_ptr<MasterSession> session_;
  std::vector<service::CreateWorkerSessionRequest> worker_requests_;
  std::vector<service::CreateWorkerSessionResponse> worker_responses_;
  service::Call worker_call_;
};

}  // namespace

void SetUpSession(const MasterEnv& env, TimerQueue& timers, std::shared_ptr<Cleanups> cleanups,
                  const service::CreateSessionRequest& request, const service::Call& call,
                  StopToken stop,
                  absl::AnyInvocable<void(StatusOr<std::shared_ptr<MasterSession>>)> done) {
  std::make_shared<Setup>(env, timers, std::move(cleanups), request, call, std::move(stop),
                          std::move(done))
      ->Start();
}

}  // namespace rheo::master
