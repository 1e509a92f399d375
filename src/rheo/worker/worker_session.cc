#include "rheo/worker/worker_session.h"

#include <fmt/format.h>

namespace rheo::worker {

StatusOr<SessionDevice> WorkerSession::FindDevice(std::string_view name) const {
  for (const SessionDevice& candidate : options_.devices) {
    if (candidate.device->info().name == name) return candidate;
  }
  RHEO_ASSIGN_OR_RETURN(const device::DeviceName wanted, device::DeviceName::Parse(name));
  if (wanted.type && wanted.id) {
    for (const SessionDevice& candidate : options_.devices) {
      if (wanted.Covers(candidate.device->name())) return candidate;
    }
  }
  return InvalidArgument("{} unknown device.", name);
}

StatusOr<std::shared_ptr<kernel::Kernel>> WorkerSession::CachedKernel(
    const std::string& device, const std::string& node,
    const std::function<StatusOr<std::unique_ptr<kernel::Kernel>>()>& make) {
  const std::string key = device + '\n' + node;
  {
    MutexLock lock(mutex_);
    const auto it = kernels_.find(key);
    if (it != kernels_.end()) return it->second;
  }
  // Made without the lock; when two graphs race, the first one's kernel counts.
  RHEO_ASSIGN_OR_RETURN(std::shared_ptr<kernel::Kernel> made, make());
  MutexLock lock(mutex_);
  return kernels_.try_emplace(key, std::move(made)).first->second;
}

std::string WorkerSession::NextGraphHandle() {
  MutexLock lock(mutex_);
  return fmt::format("{:016x}", ++last_graph_);
}

bool WorkerSession::AddGraph(std::string handle, std::shared_ptr<RegisteredGraph> graph) {
  MutexLock lock(mutex_);
  if (is_deleted_) return false;
  graphs_[std::move(handle)] = std::move(graph);
  return true;
}

std::shared_ptr<RegisteredGraph> WorkerSession::FindGraph(std::string_view handle) const {
  MutexLock lock(mutex_);
  const auto it = graphs_.find(handle);
  return it == graphs_.end() ? nullptr : it->second;
}

int WorkerSession::num_graphs() const {
  MutexLock lock(mutex_);
  return static_cast<int>(graphs_.size());
}

bool WorkerSession::RemoveGraph(std::string_view handle) {
  std::shared_ptr<RegisteredGraph> removed;  // destroyed after the lock is released
  MutexLock lock(mutex_);
  const auto it = graphs_.find(handle);
  if (it == graphs_.end()) return false;
  removed = std::move(it->second);
  graphs_.erase(it);
  lock.Unlock();
  return true;
}

void WorkerSession::DropGraphs() {
  StringMap<std::shared_ptr<RegisteredGraph>> removed;
  MutexLock lock(mutex_);
  is_deleted_ = true;
  removed = std::move(graphs_);
  graphs_.clear();
  lock.Unlock();
}

}  // namespace rheo::worker
