#include "rheo/master/session_cluster.h"

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

std::string_view TaskOf(std::string_view device) {
  return device.substr(0, device.find("/device:"));
}

}  // namespace rheo::master
