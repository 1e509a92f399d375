// Placer: gives every node of a session's graph a device (semantics.md 7).
#ifndef RHEO_PLACER_PLACER_H_
#define RHEO_PLACER_PLACER_H_

#include <functional>
#include <string>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/base/string_map.h"
#include "rheo/device/device.h"
#include "rheo/graph/graph.h"
#include "rheo/op/kernel_catalog.h"

namespace rheo::placer {

struct Request {
  std::vector<device::DeviceInfo> devices;  // all of the session
  std::string master_task;                  // "/job:worker/replica:0/task:0"; preferred
  // The kernels of a task; never null. Asked with the task part of a device's name.
  std::function<const op::KernelCatalog*(std::string_view task)> catalog;
  bool allow_soft_placement = false;
  // Stateful nodes of earlier versions of the graph stay where they are: name → full device.
  const StringMap<std::string>* pinned = nullptr;
  // Fill Result::reasons.
  bool explain = false;
  // More about a spec that no device matches, for the message: "job 'ps' is not in the cluster".
  // May be null, and may say nothing.
  std::function<std::string(const device::DeviceName& wanted)> why_missing;
};

struct Result {
  // One line per node, in node order: "w: (VariableV2): /job:ps/…/device:CPU:0 — requested by …".
  std::vector<std::string> reasons;
};

// Sets assigned_device of every node. INVALID_ARGUMENT with the texts of semantics.md 7, naming the
// node, what it asked for and what there is.
StatusOr<Result> Place(const Request& request, graph::Graph& graph);

}  // namespace rheo::placer

#endif  // RHEO_PLACER_PLACER_H_
