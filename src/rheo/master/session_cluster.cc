#include "rheo/master/session_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rheo::master {

SessionCluster::SessionCluster(std::vector<Task> tasks,
                               std::shared_ptr<service::WorkerDirectory> directory)
    : tasks_(std::move(tasks)), directory_(std::move(directory)) {
  for (const Task& task : tasks_) {
    by_name_.emplace(task.name, &task);
    for (const device::DeviceInfo& device : task.devices) {
      incarnations_.emplace(device.name, device.incarnation);
    }
  }
}

const Task* SessionCluster::FindTask(std::string_view name) const {
  auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

std::string SessionCluster::WhyMissing(const device::DeviceName& wanted) const {
  std::vector<std::string> jobs;
  bool has_job = !wanted.job;
  std::string filtered;
  for (const std::string& task : directory_->TaskNames()) {
    const auto name = device::DeviceName::Parse(task);
    if (!name.ok() || !name->job) continue;
    if (std::ranges::find(jobs, *name->job) == jobs.end()) jobs.push_back(*name->job);
    has_job |= wanted.job == name->job;
    if (!wanted.TaskPart().IsCompatibleWith(*name)) continue;
    if (FindTask(task) != nullptr) return "";
    if (filtered.empty()) filtered = task;
  }
  if (!filtered.empty()) {
    return fmt::format("{} is in the cluster, but the session's device_filters leave it out",
                       filtered);
  }
  if (!has_job) {
    return fmt::format("job '{}' is not in the cluster, whose jobs are: {}", *wanted.job,
                       fmt::join(jobs, ", "));
  }
  return wanted.task ? fmt::format("the cluster has no task {} of that job", *wanted.task) : "";
}

std::vector<device::DeviceInfo> SessionCluster::AllDevices() const {
  std::vector<device::DeviceInfo> devices;
  for (const Task& task : tasks_) {
    devices.insert(devices.end(), task.devices.begin(), task.devices.end());
  }
  return devices;
}

Incarnation SessionCluster::IncarnationOf(std::string_view device) const {
  auto it = incarnations_.find(device);
  return it == incarnations_.end() ? Incarnation() : it->second;
}

}  // namespace rheo::master
