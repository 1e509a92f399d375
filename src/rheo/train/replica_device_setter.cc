#include "rheo/train/replica_device_setter.h"

#include <algorithm>
#include <memory>

#include "rheo/device/device_name.h"

namespace rheo::train {
namespace {

// The ops that TensorFlow's replica_device_setter places on parameter servers by default.
bool HoldsState(std::string_view op) {
  constexpr std::string_view kOps[] = {"Variable",
                                       "VariableV2",
                                       "AutoReloadVariable",
                                       "MutableHashTable",
                                       "MutableHashTableV2",
                                       "MutableHashTableOfTensors",
                                       "MutableHashTableOfTensorsV2",
                                       "MutableDenseHashTable",
                                       "MutableDenseHashTableV2",
                                       "VarHandleOp",
                                       "BoostedTreesEnsembleResourceHandleOp",
                                       "BoostedTreesQuantileStreamResourceHandleOp",
                                       "ResourceConditionalAccumulator",
                                       "DecisionTreeResource"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

// `device` with the parts it lacks from `preferred`; `device` itself when it names another job, or
// when either is malformed.
std::string Complete(std::string_view device, std::string_view preferred) {
  const StatusOr<device::DeviceName> given = device::DeviceName::Parse(device);
  const StatusOr<device::DeviceName> rest = device::DeviceName::Parse(preferred);
  if (!given.ok() || !rest.ok()) return std::string(device);
  if (given->job && rest->job && given->job != rest->job) return std::string(device);
  return given->CompletedFrom(*rest).ToString();
}

}  // namespace

builder::Scope::DeviceFn ReplicaDeviceSetter(const service::ClusterSpec& cluster, const Task& task,
                                             const ReplicaDeviceSetterOptions& options) {
  std::vector<std::string> ps_tasks;
  for (const auto& [job, tasks] : cluster.jobs()) {
    if (job != options.ps_job) continue;
    for (const auto& [index, address] : tasks) {
      ps_tasks.push_back("/job:" + job + "/task:" + std::to_string(index));
    }
  }
  // The copies of the function in all scopes take turns together.
  auto next = std::make_shared<size_t>(0);
  const std::string worker = options.worker_device.empty() ? task.name() : options.worker_device;
  return [ps_tasks, next, worker](std::string_view op, std::string_view, std::string_view device) {
    if (!HoldsState(op) || ps_tasks.empty()) return Complete(device, worker);
    // The turn goes on to the next even when the device was chosen by hand: workers stay in step.
    const std::string& ps = ps_tasks[(*next)++ % ps_tasks.size()];
    return Complete(device, ps);
  };
}

}  // namespace rheo::train
