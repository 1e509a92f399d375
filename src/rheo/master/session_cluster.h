// SessionCluster: the tasks and devices that one session may use.
#ifndef RHEO_MASTER_SESSION_CLUSTER_H_
#define RHEO_MASTER_SESSION_CLUSTER_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rheo/base/string_map.h"
#include "rheo/device/device.h"
#include "rheo/op/kernel_catalog.h"
#include "rheo/service/worker_service.h"

namespace rheo::master {

// One task as device discovery found it.
struct Task {
  std::string name;  // "/job:ps/replica:0/task:0"
  std::shared_ptr<service::WorkerService> worker;
  std::vector<device::DeviceInfo> devices;
  std::shared_ptr<const op::KernelCatalog> kernels;  // never null
  bool is_rheo = false;
};

// Immutable once made; thread-safe.
class SessionCluster {
 public:
  // The first task is the master's own; its first device is the client device.
  SessionCluster(std::vector<Task> tasks, std::shared_ptr<service::WorkerDirectory> directory);

  const std::vector<Task>& tasks() const { return tasks_; }
  const Task& own_task() const { return tasks_.front(); }
  const device::DeviceInfo& client_device() const { return tasks_.front().devices.front(); }
  // Why no task of the session matches `wanted`: its job or task is not in the cluster, or was
  // filtered out. Empty when that is not the reason.
  std::string WhyMissing(const device::DeviceName& wanted) const;
  // nullptr when the session has no such task.
  const Task* FindTask(std::string_view name) const;
  // Of all tasks, those of the own task first.
  std::vector<device::DeviceInfo> AllDevices() const;
  // 0 when the session has no such device.
  Incarnation IncarnationOf(std::string_view device) const;

 private:
  const std::vector<Task> tasks_;
  // Keeps the stubs' channels.
  const std::shared_ptr<service::WorkerDirectory> directory_;
  StringViewMap<const Task*> by_name_;
  StringViewMap<Incarnation> incarnations_;
};

}  // namespace rheo::master

#endif  // RHEO_MASTER_SESSION_CLUSTER_H_
