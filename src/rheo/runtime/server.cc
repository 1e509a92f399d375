#include "rheo/runtime/server.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>

#include "rheo/async/notification.h"
#include "rheo/base/log.h"
#include "rheo/rpc/client.h"
#include "rheo/rpc/plain_policy.h"
#include "rheo/rpc/remote_worker.h"
#include "rheo/rpc/secrets.h"
#include "rheo/rpc/server.h"
#include "rheo/rpc/traffic.h"
#include "rheo/rpc/transport.h"
#include "rheo/rpc/worker_directory.h"
#include "rheo/runtime/credentials.h"
#include "rheo/runtime/faulty_worker.h"
#include "rheo/runtime/memory_size.h"
#include "rheo/runtime/registries.h"
#include "rheo/runtime/task.h"

namespace rheo::runtime {
namespace {

// A transport with the directory that it uses.
struct ForeignCluster {
  std::shared_ptr<service::WorkerDirectory> directory;
  std::unique_ptr<rpc::WorkerTransport> transport;
};

// The cluster with the port that was really bound in place of the task's own.
service::ClusterSpec WithOwnPort(const service::ClusterSpec& cluster, const std::string& job,
                                 int task, const std::string& host, int port) {
  service::ClusterSpec result;
  for (const auto& [name, tasks] : cluster.jobs()) {
    service::ClusterSpec::Tasks changed = tasks;
    if (name == job) {
      const auto own = changed.find(task);
      if (own != changed.end()) own->second = fmt::format("{}:{}", host, port);
    }
    // The names were checked when the cluster was made.
    (void)result.AddJob(name, std::move(changed));
  }
  return result;
}

// How long the last answers may take to leave.
constexpr std::chrono::milliseconds kAnswersLeave(500);
// The names and addresses of all hosts of a cluster.
std::vector<std::string> HostsOf(const service::ClusterSpec& cluster) {
  std::vector<std::string> hosts;
  for (const std::string& task : cluster.TaskNames()) {
    const auto address = service::ParseHostPort(cluster.AddressOf(task).value_or(""));
    if (address.ok()) hosts.push_back(address->host);
  }
  return hosts;
}

int64_t BytesInFlight(const service::Limits& limits) {
  if (limits.bytes_in_flight != service::Limits::kHalfOfMemory) return limits.bytes_in_flight;
  return UsableMemory() / 2;
}

std::string Bracketed(const std::string& host) {
  return host.find(':') == std::string::npos ? host : '[' + host + ']';
}

}  // namespace

ServerOptions OptionsFrom(service::ServerDef def) {
  return {.cluster = std::move(def.cluster),
          .job = std::move(def.job_name),
          .task = def.task_index,
          .port = def.port,
          .config = std::move(def.default_session_config)};
}

class Server::Impl {
 public:
  static StatusOr<std::unique_ptr<Impl>> Start(ServerOptions options) {
    service::ServerDef def;
    def.cluster = options.cluster;
    def.job_name = options.job;
    def.task_index = options.task;
    def.port = options.port;
    RHEO_RETURN_IF_ERROR(service::ValidateServerDef(def));
    RHEO_ASSIGN_OR_RETURN(const std::string own,
                          options.cluster.Address(options.job, options.task));
    RHEO_ASSIGN_OR_RETURN(service::HostPort address, service::ParseHostPort(own));
    if (options.port != 0) address.port = options.port;
    if (address.host.empty()) address.host = "localhost";
    const std::string bind_host = options.bind_host.empty() ? address.host : options.bind_host;

    RHEO_ASSIGN_OR_RETURN(const std::shared_ptr<const rpc::Secrets> secrets,
                          rpc::Secrets::Load(OrFromEnvironment(options.credentials)));
    rpc::PlainPolicy plain = rpc::PlainPolicy::Default(secrets != nullptr);
    if (!options.plain_from.empty()) {
      RHEO_ASSIGN_OR_RETURN(plain, rpc::PlainPolicy::Parse(options.plain_from));
    }

    auto impl = std::unique_ptr<Impl>(new Impl());
    RHEO_RETURN_IF_ERROR(impl->KeepToFiles(options));
    impl->task_name_ = device::TaskName(options.job, options.task);
    RHEO_RETURN_IF_ERROR(impl->SetFaults(options.faults));
    rpc::RpcServerOptions server_options{
        .address = fmt::format("{}:{}", Bracketed(bind_host), address.port),
        .secrets = secrets,
        .plain = std::move(plain),
        .cluster_hosts = HostsOf(options.cluster),
        .max_message_bytes = options.limits.message_bytes,
        .max_bytes_in_flight = BytesInFlight(options.limits),
        .traffic = &impl->traffic_,
        .faults = impl->faults_.get(),
        .variants = &BuiltIn().variants};
    if (options.ping_interval.count() > 0) server_options.ping_interval = options.ping_interval;
    RHEO_ASSIGN_OR_RETURN(impl->rpc_server_, rpc::RpcServer::Bind(std::move(server_options)));
    const int port = impl->rpc_server_->port();
    impl->target_ = fmt::format("grpc://{}:{}", Bracketed(address.host), port);
    rpc::RpcClientOptions client_options{.queue = impl->rpc_server_->queue(),
                                         .traffic = &impl->traffic_,
                                         .secrets = secrets,
                                         .variants = &BuiltIn().variants};
    if (options.ping_interval.count() > 0) client_options.ping_interval = options.ping_interval;
    impl->client_ = std::make_unique<rpc::RpcClient>(std::move(client_options));
    impl->cluster_ = std::make_shared<const service::ClusterSpec>(
        WithOwnPort(options.cluster, options.job, options.task, Bracketed(address.host), port));
    impl->directory_ =
        std::make_shared<rpc::ClusterDirectory>(*impl->client_, *impl->cluster_, impl->task_name_);
    RHEO_RETURN_IF_ERROR(impl->MakeTask(options));
    impl->rpc_server_->Start({.master = &impl->task_->master(),
                              .worker = impl->served_worker(),
                              .status_page = [i = impl.get()] { return i->status_page(); }});
    return impl;
  }

  ~Impl() { Stop({}); }

  void Stop(std::chrono::milliseconds grace) {
    {
      MutexLock lock(mutex_);
      if (stopping_) return;
      stopping_ = true;
    }
    const Status reason = Unavailable("task {} is stopping", task_name_);
    if (task_ != nullptr) {
      rpc_server_->Drain(reason);
      AwaitSteps(grace, reason);
      task_->Stop(reason);
    }
    if (rpc_server_ != nullptr) rpc_server_->Shutdown(kAnswersLeave);
    if (client_ != nullptr) client_->Shutdown();
    stopped_.Notify();
  }

  void Join() { stopped_.Wait(); }

  SessionCounts sessions() const {
    const worker::WorkerCounts counts = task_->worker().counts();
    return {.open = counts.sessions, .ever = counts.sessions_ever};
  }

  std::string status_page() const {
    const rpc::RpcServer::InFlight in_flight = rpc_server_->in_flight();
    return DescribeTask(*task_, {.open = rpc_server_->num_open_calls() - 1,
                                 .bytes_in_flight = in_flight.bytes,
                                 .waiting = in_flight.num_waiting});
  }

  const std::string& target() const { return target_; }
  const std::string& task_name() const { return task_name_; }
  int port() const { return rpc_server_->port(); }
  const std::vector<std::string>& bound() const { return rpc_server_->bound(); }
  std::string DescribeDoor() const {
    return fmt::format("{}; {}", rpc_server_->DescribeDoor(), files_);
  }
  std::vector<device::DeviceInfo> devices() const { return task_->devices(); }
  Traffic traffic() const {
    return {traffic_.bytes_sent.load(std::memory_order_relaxed),
            traffic_.bytes_received.load(std::memory_order_relaxed)};
  }

 private:
  Impl() = default;

  // A step that starts to wait during the grace has to end as well.
  void AwaitSteps(std::chrono::milliseconds grace, const Status& reason) {
    constexpr std::chrono::milliseconds kLookEvery(50);
    const auto deadline = std::chrono::steady_clock::now() + grace;
    while (std::chrono::steady_clock::now() < deadline) {
      task_->StopWaitingSteps(reason);
      const auto look = std::chrono::steady_clock::now() + kLookEvery;
      if (rpc_server_->AwaitIdle(std::min(look, deadline))) return;
    }
  }

  // Kernels of its own that keep to the policy.
  Status KeepToFiles(ServerOptions& options) {
    if (options.files.empty()) return OkStatus();
    if (options.registries != nullptr) {
      return InvalidArgument("a file policy and registries of one's own do not go together");
    }
    RHEO_ASSIGN_OR_RETURN(const ops::FilePolicy files, ops::FilePolicy::Parse(options.files));
    files_ = files.Describe();
    if (files.is_everywhere()) return OkStatus();
    registries_ = std::make_unique<Registries>();
    options.registries = registries_.get();
    return RegisterAll(*registries_, files);
  }

  Status MakeTask(const ServerOptions& options) {
    TaskPeers peers;
    peers.workers = directory_;
    peers.transport =
        std::make_shared<rpc::WorkerTransport>(*directory_, [](std::string_view) { return true; });
    peers.on_worker = [this](std::shared_ptr<service::WorkerService> worker) {
      directory_->SetOwnWorker(worker);
      own_worker_ = worker;
      return rpc::MakeDirectoryFactory(*client_, std::move(worker));
    };
    peers.make_transport = [this](const service::ClusterSpec& cluster,
                                  const std::string& own_task) {
      return MakeForeignTransport(cluster, own_task);
    };
    peers.find_master = [this](const service::ClusterSpec* cluster, const std::string& task) {
      return FindMaster(cluster, task);
    };
    RHEO_ASSIGN_OR_RETURN(task_, Task::Create({.task_name = task_name_,
                                               .config = options.config,
                                               .cluster = cluster_,
                                               .forming_timeout = options.forming_timeout,
                                               .session_idle_limit = options.session_idle_limit,
                                               .lost_master_limit = options.lost_master_limit,
                                               .limits = options.limits,
                                               .registries = options.registries,
                                               .housekeeping = [this] { TidyHeap(); }},
                                              std::move(peers)));
    return OkStatus();
  }

  std::shared_ptr<rendezvous::TensorTransport> MakeForeignTransport(
      const service::ClusterSpec& cluster, const std::string& own_task) {
    auto foreign = std::make_shared<ForeignCluster>();
    auto directory = std::make_shared<rpc::ClusterDirectory>(*client_, cluster, own_task);
    directory->SetOwnWorker(own_worker_);
    foreign->directory = directory;
    foreign->transport = std::make_unique<rpc::WorkerTransport>(*directory);
    return {foreign, foreign->transport.get()};
  }

  // Null when there is no such task.
  std::shared_ptr<service::WorkerService> FindMaster(const service::ClusterSpec* cluster,
                                                     const std::string& task) {
    if (cluster == nullptr) return directory_->Find(task);
    const auto address = cluster->AddressOf(task);
    return address ? rpc::ConnectWorker(*client_, task, *address) : nullptr;
  }

  // The allocator keeps what a burst of calls has needed.
  void TidyHeap() {
    if (rpc_server_->TakeBurst()) malloc_trim(0);
  }

  Status SetFaults(const std::string& spec) {
    if (spec.empty()) return OkStatus();
    RHEO_ASSIGN_OR_RETURN(faults_, FaultPoints::Parse(spec));
    RHEO_LOG(Warning, "{} has fault points, for tests: {}", task_name_, spec);
    return OkStatus();
  }

  // The worker as others see it.
  service::WorkerService* served_worker() {
    if (faults_ == nullptr) return &task_->worker();
    faulty_worker_ = MakeFaulty(task_->worker(), *faults_);
    return faulty_worker_.get();
  }

  std::string task_name_;
  std::string target_;
  std::string files_ = "all files";
  std::unique_ptr<Registries> registries_;  // null: the built-in ones or the caller's
  rpc::TrafficCounters traffic_;
  // In the order in which they are made; what uses another comes after it.
  std::unique_ptr<FaultPoints> faults_;                    // null: none
  std::unique_ptr<service::WorkerService> faulty_worker_;  // null: none
  std::unique_ptr<rpc::RpcServer> rpc_server_;
  std::unique_ptr<rpc::RpcClient> client_;
  std::shared_ptr<const service::ClusterSpec> cluster_;
  std::shared_ptr<rpc::ClusterDirectory> directory_;
  std::shared_ptr<service::WorkerService> own_worker_;
  std::unique_ptr<Task> task_;
  Mutex mutex_;
  bool stopping_ RHEO_GUARDED_BY(mutex_) = false;
  Notification stopped_;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

StatusOr<std::unique_ptr<Server>> Server::Start(ServerOptions options) {
  try {
    RHEO_ASSIGN_OR_RETURN(std::unique_ptr<Impl> impl, Impl::Start(std::move(options)));
    return std::unique_ptr<Server>(new Server(std::move(impl)));
  } catch (const std::system_error& e) {  // of threads
    return ResourceExhausted("the server has not started: {}", e.what());
  }
}

StatusOr<std::unique_ptr<Server>> Server::Start(service::ServerDef def, std::string bind_host) {
  RHEO_RETURN_IF_ERROR(service::ValidateServerDef(def));
  ServerOptions options = OptionsFrom(std::move(def));
  options.bind_host = std::move(bind_host);
  return Start(std::move(options));
}

StatusOr<std::unique_ptr<Server>> Server::CreateLocalServer() {
  return Start({.cluster = {{"localhost", {"127.0.0.1:0"}}}, .job = "localhost"});
}

const std::string& Server::target() const { return impl_->target(); }
int Server::port() const { return impl_->port(); }
const std::vector<std::string>& Server::bound() const { return impl_->bound(); }
std::string Server::DescribeDoor() const { return impl_->DescribeDoor(); }
const std::string& Server::task_name() const { return impl_->task_name(); }
std::vector<device::DeviceInfo> Server::devices() const { return impl_->devices(); }
Traffic Server::traffic() const { return impl_->traffic(); }
SessionCounts Server::sessions() const { return impl_->sessions(); }
std::string Server::status_page() const { return impl_->status_page(); }
void Server::Stop(std::chrono::milliseconds grace) { impl_->Stop(grace); }
void Server::Join() { impl_->Join(); }

}  // namespace rheo::runtime
