#include "rheo/master/part_options.h"

#include <algorithm>
#include <utility>

#include "rheo/device/device_name.h"
#include "rheo/graph/traversal.h"

namespace rheo::master {
namespace {

using graph::Node;

// Whether the kernel that the node will get keeps the named argument at `index` in host memory.
bool IsHostArgument(const SessionCluster& cluster, const Node& node,
                    const std::vector<op::ArgSpec>& args, int index) {
  const Task* task = cluster.FindTask(device::TaskOf(node.assigned_device()));
  if (task == nullptr) return false;
  const StatusOr<device::DeviceName> device = device::DeviceName::Parse(node.assigned_device());
  if (!device.ok() || !device->type) return false;
  const op::KernelRow* row = task->kernels->Find(node.op(), *device->type, node.attrs());
  if (row == nullptr || row->host_memory_args.empty()) return false;
  const StatusOr<std::vector<op::ArgRange>> ranges = op::ResolveRanges(args, node.attrs());
  if (!ranges.ok()) return false;
  for (size_t i = 0; i < args.size(); ++i) {
    if (index < (*ranges)[i].begin || index >= (*ranges)[i].end) continue;
    return std::ranges::find(row->host_memory_args, args[i].name) != row->host_memory_args.end();
  }
  return false;
}

bool CrossesRheoTasks(const SessionCluster& cluster, const Node& node) {
  const std::string from = node.attrs().GetOr<std::string>("send_device", "");
  const std::string to = node.attrs().GetOr<std::string>("recv_device", "");
  if (device::TaskOf(from) == device::TaskOf(to)) return false;
  const Task* sender = cluster.FindTask(device::TaskOf(from));
  const Task* receiver = cluster.FindTask(device::TaskOf(to));
  return sender != nullptr && receiver != nullptr && sender->is_rheo && receiver->is_rheo;
}

}  // namespace

partition::Options PartOptions(const SessionCluster& cluster, const service::SessionConfig& config,
                               std::function<std::string(std::string_view)> unique_name) {
  partition::Options options;
  options.location = [](const std::string& device) { return std::string(device::TaskOf(device)); };
  options.incarnation = [&cluster](const std::string& device) {
    return cluster.IncarnationOf(device);
  };
  options.unique_name = std::move(unique_name);
  options.output_in_host_memory = [&cluster](const Node& node, int index) {
    return IsHostArgument(cluster, node, node.schema().outputs, index);
  };
  options.input_in_host_memory = [&cluster](const Node& node, int index) {
    return IsHostArgument(cluster, node, node.schema().inputs, index);
  };
  options.bfloat16_transfer = config.bfloat16_sendrecv;
  return options;
}

void MarkPushedPairs(const SessionCluster& cluster, graph::Graph& part) {
  for (Node* node : part.nodes()) {
    if (!graph::IsSend(*node) && !graph::IsRecv(*node)) continue;
    if (CrossesRheoTasks(cluster, *node)) node->mutable_attrs().Set("_rheo_push", true);
  }
}

}  // namespace rheo::master
