#include "rheo/rpc/worker_directory.h"

#include <utility>

namespace rheo::rpc {

ClusterDirectory::ClusterDirectory(RpcClient& client, service::ClusterSpec cluster,
                                   std::string own_task)
    : client_(client), cluster_(std::move(cluster)), own_task_(std::move(own_task)) {
  MutexLock lock(mutex_);
  for (std::string& name : cluster_.TaskNames()) {
    Task task;
    task.address = cluster_.AddressOf(name).value_or("");
    tasks_.emplace(std::move(name), std::move(task));
  }
}

void ClusterDirectory::SetOwnWorker(std::shared_ptr<service::WorkerService> worker) {
  MutexLock lock(mutex_);
  tasks_[own_task_].worker = std::move(worker);
}

std::vector<std::string> ClusterDirectory::TaskNames() const { return cluster_.TaskNames(); }

std::shared_ptr<service::WorkerService> ClusterDirectory::Find(std::string_view task_name) {
  MutexLock lock(mutex_);
  auto it = tasks_.find(task_name);
  if (it == tasks_.end()) return nullptr;
  Task& task = it->second;
  if (task.worker == nullptr) {
    task.worker = ConnectWorker(client_, task_name, task.address, task.traits);
  }
  return task.worker;
}

std::string ClusterDirectory::Address(std::string_view task_name) const {
  MutexLock lock(mutex_);
  auto it = tasks_.find(task_name);
  return it == tasks_.end() ? "" : it->second.address;
}

bool ClusterDirectory::IsRheoPeer(std::string_view task_name) const {
  MutexLock lock(mutex_);
  auto it = tasks_.find(task_name);
  return it != tasks_.end() && it->second.traits->is_rheo;
}

void ClusterDirectory::SetRheoPeer(std::string_view task_name, bool is_rheo) {
  MutexLock lock(mutex_);
  auto it = tasks_.find(task_name);
  if (it != tasks_.end()) it->second.traits->is_rheo = is_rheo;
}

service::DirectoryFactory MakeDirectoryFactory(RpcClient& client,
                                               std::shared_ptr<service::WorkerService> own_worker) {
  return [&client, own_worker](const service::ClusterSpec& cluster, std::string_view own_task) {
    auto directory = std::make_shared<ClusterDirectory>(client, cluster, std::string(own_task));
    if (own_worker != nullptr && !own_task.empty()) directory->SetOwnWorker(own_worker);
    return directory;
  };
}

}  // namespace rheo::rpc
