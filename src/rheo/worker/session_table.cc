#include "rheo/worker/session_table.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "rheo/worker/renamed_device.h"

namespace rheo::worker {
namespace {

// The default container of a device is named after its job.
std::string DefaultContainer(const device::Device& device) {
  return device.name().job.value_or("localhost");
}

// The transport of the environment, which nobody here owns.
std::shared_ptr<rendezvous::TensorTransport> SharedTransport(const WorkerEnv& env) {
  return {std::shared_ptr<void>(), env.transport};
}

// The handles of what is dropped.
std::vector<std::string> DropAll(const std::vector<std::shared_ptr<WorkerSession>>& sessions) {
  std::vector<std::string> handles;
  for (const auto& session : sessions) {
    handles.push_back(session->options().handle);
    session->DropGraphs();
  }
  return handles;
}

}  // namespace

SessionTable::SessionTable(const WorkerEnv& env) : env_(env) {
  WorkerSession::Options legacy;
  legacy.task_name = env.task_name;
  legacy.transport = SharedTransport(env);
  for (device::Device* device : env.devices) {
    resources_.push_back(std::make_unique<kernel::ResourceManager>(DefaultContainer(*device)));
    legacy.devices.push_back({device, resources_.back().get()});
  }
  legacy_ = std::make_shared<WorkerSession>(std::move(legacy));
}

SessionTable::~SessionTable() { DeleteAll(); }

StatusOr<std::vector<std::string>> SessionTable::Create(
    const service::CreateWorkerSessionRequest& request) {
  if (request.session.value.empty()) return InvalidArgument("Session must be non-empty.");
  RHEO_ASSIGN_OR_RETURN(std::shared_ptr<WorkerSession> made, Make(request));
  Sessions dropped;
  Status status;
  {
    MutexLock lock(mutex_);
    if (!request.master_task.empty()) {
      dropped = TakeOut(request.master_task, request.master_incarnation, /*others=*/true);
    }
    status = Add(request.session.value, std::move(made));
  }
  const std::vector<std::string> handles = DropAll(dropped);
  if (!status.ok()) return status;
  return handles;
}

SessionTable::Sessions SessionTable::TakeOut(const std::string& master_task, int64_t incarnation,
                                             bool others) {
  Sessions taken;
  for (auto it = sessions_.begin(); it != sessions_.end();) {
    const WorkerSession::Options& options = it->second->options();
    if (options.master_task == master_task &&
        (options.master_incarnation == incarnation) != others) {
      taken.push_back(std::move(it->second));
      sessions_.erase(it++);
    } else {
      ++it;
    }
  }
  return taken;
}

std::vector<std::string> SessionTable::DeleteOf(const std::string& master_task,
                                                int64_t incarnation) {
  Sessions taken;
  {
    MutexLock lock(mutex_);
    taken = TakeOut(master_task, incarnation, /*others=*/false);
  }
  return DropAll(taken);
}

std::vector<KnownMaster> SessionTable::Masters() const {
  std::map<std::pair<std::string, int64_t>, KnownMaster> masters;
  MutexLock lock(mutex_);
  for (const auto& [handle, session] : sessions_) {
    const WorkerSession::Options& options = session->options();
    if (options.master_task.empty()) continue;
    KnownMaster& master = masters[{options.master_task, options.master_incarnation}];
    master.task = options.master_task;
    master.incarnation = options.master_incarnation;
    master.cluster = options.cluster;
    master.uses += session->uses();
  }
  std::vector<KnownMaster> result;
  for (auto& [key, master] : masters) result.push_back(std::move(master));
  return result;
}

Status SessionTable::Add(const std::string& handle, std::shared_ptr<WorkerSession> made) {
  const int64_t limit = env_.limits.sessions;
  const auto size = static_cast<int64_t>(sessions_.size());
  if (limit > 0 && size >= limit && !sessions_.contains(handle)) {
    return service::BeyondLimit(
        fmt::format("{} keeps {} worker sessions of all masters", env_.task_name, size), limit,
        "max_sessions");
  }
  if (sessions_.try_emplace(handle, std::move(made)).second) ++num_created_;
  return OkStatus();
}

StatusOr<std::shared_ptr<WorkerSession>> SessionTable::Make(
    const service::CreateWorkerSessionRequest& request) {
  WorkerSession::Options options;
  options.handle = request.session.value;
  options.master_task = request.master_task;
  options.master_incarnation = request.master_incarnation;
  options.task_name = env_.task_name;
  options.transport = SharedTransport(env_);
  const service::ServerDef& def = request.server_def;
  const bool own_cluster = !def.cluster.empty();
  if (own_cluster) {
    options.cluster = std::make_shared<const service::ClusterSpec>(def.cluster);
    options.task_name =
        fmt::format("/job:{}/replica:{}/task:{}", def.job_name, def.replica, def.task_index);
    if (!def.cluster.AddressOf(device::TaskName(def.job_name, def.task_index))) {
      return Internal("the cluster of session {} has no task {}", request.session.value,
                      options.task_name);
    }
    options.transport = env_.make_transport == nullptr
                            ? nullptr
                            : env_.make_transport(def.cluster, options.task_name);
  }
  for (size_t i = 0; i < env_.devices.size(); ++i) {
    SessionDevice seen{env_.devices[i], resources_[i].get()};
    if (own_cluster || request.isolate_session_state) {
      RHEO_ASSIGN_OR_RETURN(auto renamed,
                            RenamedDevice::Create(*env_.devices[i], options.task_name));
      seen.device = renamed.get();
      options.own_devices.push_back(std::move(renamed));
    }
    if (request.isolate_session_state) {
      options.own_resources.push_back(
          std::make_unique<kernel::ResourceManager>(DefaultContainer(*seen.device)));
      seen.resources = options.own_resources.back().get();
    }
    options.devices.push_back(seen);
  }
  return std::make_shared<WorkerSession>(std::move(options));
}

void SessionTable::Delete(const std::string& handle) {
  std::shared_ptr<WorkerSession> removed;
  {
    MutexLock lock(mutex_);
    const auto it = sessions_.find(handle);
    if (it == sessions_.end()) return;
    removed = std::move(it->second);
    sessions_.erase(it);
  }
  removed->DropGraphs();
}

StatusOr<std::shared_ptr<WorkerSession>> SessionTable::Find(const std::string& handle,
                                                            bool created) const {
  if (!created || handle.empty()) return legacy_;
  MutexLock lock(mutex_);
  const auto it = sessions_.find(handle);
  if (it != sessions_.end()) {
    it->second->NoteUse();
    return it->second;
  }
  return NotFound(handle);
}

Status SessionTable::NotFound(const std::string& handle) const {
  return WithPayload(
      Aborted("Session handle is not found: {}. Possibly this worker (\"{}\") just restarted.",
              handle, env_.task_name),
      kWorkerRestartedPayload);
}

void SessionTable::DeleteAll() {
  StringMap<std::shared_ptr<WorkerSession>> removed;
  {
    MutexLock lock(mutex_);
    removed = std::move(sessions_);
    sessions_.clear();
  }
  for (const auto& [handle, session] : removed) session->DropGraphs();
  legacy_->DropGraphs();
  for (const auto& resources : resources_) resources->ClearAll();
}

WorkerCounts SessionTable::counts() const {
  std::vector<std::shared_ptr<WorkerSession>> sessions;
  WorkerCounts counts;
  {
    MutexLock lock(mutex_);
    counts.sessions = static_cast<int>(sessions_.size());
    counts.sessions_ever = num_created_;
    for (const auto& [handle, session] : sessions_) sessions.push_back(session);
  }
  for (const auto& session : sessions) counts.graphs += session->num_graphs();
  return counts;
}

void SessionTable::ClearContainers(const std::vector<std::string>& containers) {
  for (const auto& resources : resources_) {
    if (containers.empty()) resources->Clear("");
    for (const std::string& container : containers) resources->Clear(container);
  }
}

}  // namespace rheo::worker
