#include "rheo/worker/registered_graph.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "rheo/graph/collective_nodes.h"
#include "rheo/graph/import.h"
#include "rheo/graph/traversal.h"
#include "rheo/partition/partition.h"
#include "rheo/worker/host_kernel.h"
#include "rheo/worker/local_functions.h"
#include "rheo/worker/worker_session.h"

namespace rheo::worker {
namespace {

// Gives every node the full name of its device in this session.
Status AssignDevices(const WorkerSession& session, graph::Graph& graph) {
  StringMap<std::string> full_names;
  for (graph::Node* node : graph.nodes()) {
    const std::string& asked = node->requested_device();
    if (asked.empty()) {
      return InvalidArgument("Node '{}' is missing a device specification", node->name());
    }
    auto it = full_names.find(asked);
    if (it == full_names.end()) {
      if (!device::DeviceName::Parse(asked).ok()) {
        return InvalidArgument("Missing device name in: {{{{node {}}}}}", node->name());
      }
      RHEO_ASSIGN_OR_RETURN(const SessionDevice found, session.FindDevice(asked));
      it = full_names.emplace(asked, found.device->info().name).first;
    }
    node->set_assigned_device(it->second);
  }
  return OkStatus();
}

// Memory kinds by the kernels that will run, for the cut between devices of this task.
class HostMemory {
 public:
  HostMemory(const WorkerEnv& env, const WorkerSession& session) : env_(env), session_(session) {}

  bool Output(const graph::Node& node, int index) const {
    return Kinds(node).host_outputs.at(static_cast<size_t>(index));
  }
  bool Input(const graph::Node& node, int index) const {
    return Kinds(node).host_inputs.at(static_cast<size_t>(index));
  }

 private:
  kernel::MemoryKinds Kinds(const graph::Node& node) const {
    const StatusOr<SessionDevice> found = session_.FindDevice(node.assigned_device());
    const std::string type = found.ok() ? found->device->info().type : "CPU";
    const op::KernelRow* row = env_.kernels->Find(node.op(), type, node.attrs());
    StatusOr<kernel::MemoryKinds> kinds =
        kernel::ResolveMemoryKinds(node.schema(), node.attrs(), node.types(), row);
    if (kinds.ok()) return *std::move(kinds);
    // A node whose arguments do not resolve cannot be in a Graph.
    return {std::vector<bool>(static_cast<size_t>(node.num_inputs())),
            std::vector<bool>(static_cast<size_t>(node.num_outputs()))};
  }

  const WorkerEnv& env_;
  const WorkerSession& session_;
};

using Parts = std::map<std::string, std::unique_ptr<graph::Graph>>;

StatusOr<Parts> CutByDevice(const WorkerEnv& env, const WorkerSession& session,
                            const std::string& handle, std::unique_ptr<graph::Graph> graph) {
  StringSet devices;
  bool accelerator = false;
  for (const graph::Node* node : graph->nodes()) {
    if (!devices.insert(node->assigned_device()).second) continue;
    const StatusOr<SessionDevice> found = session.FindDevice(node->assigned_device());
    accelerator |= found.ok() && !found->device->is_host_memory();
  }
  if (devices.size() <= 1 && !accelerator) {
    Parts parts;
    if (!devices.empty()) {
      const std::string device = *devices.begin();
      parts.emplace(device, std::move(graph));
    }
    return parts;
  }
  const HostMemory memory(env, session);
  int64_t counter = 0;
  partition::Options options;
  options.location = [](const std::string& device) { return device; };
  options.incarnation = [&session](const std::string& device) {
    const StatusOr<SessionDevice> found = session.FindDevice(device);
    return found.ok() ? found->device->info().incarnation : Incarnation();
  };
  options.unique_name = [&](std::string_view prefix) {
    return fmt::format("{}_G{}_{}", prefix, handle, ++counter);
  };
  options.output_in_host_memory = [&memory](const graph::Node& node, int index) {
    return memory.Output(node, index);
  };
  options.input_in_host_memory = [&memory](const graph::Node& node, int index) {
    return memory.Input(node, index);
  };
  return partition::Partition(options, *graph);
}

// What the Sends and Recvs of the graph say about other tasks.
std::shared_ptr<const GraphRoutes> RoutesOf(const graph::Graph& graph, const WorkerSession& session,
                                            RegisteredGraph& result) {
  auto routes = std::make_shared<GraphRoutes>();
  routes->task = session.options().task_name;
  routes->transport = session.options().transport;
  for (const graph::Node* node : graph.nodes()) {
    const bool is_send = graph::IsSend(*node);
    if (graph::IsCollective(*node)) {
      // The other members of its group may ask for their pieces at any time.
      routes->has_peers = true;
      result.has_collectives = true;
      result.serves_other_tasks = true;
    }
    if (!is_send && !graph::IsRecv(*node)) continue;
    const op::AttrMap& attrs = node->attrs();
    if (attrs.GetOr<bool>("_rheo_push", false)) {
      routes->pushed_edges.insert(attrs.GetOr<std::string>("tensor_name", ""));
      routes->pushes |= is_send;
    }
    if (attrs.GetOr<bool>("client_terminated", false)) continue;
    const std::string peer = attrs.GetOr<std::string>(is_send ? "recv_device" : "send_device", "");
    const bool is_elsewhere = !peer.starts_with(routes->task + "/device:");
    routes->has_peers |= is_elsewhere;
    result.serves_other_tasks |= is_send && is_elsewhere;
  }
  return routes;
}

}  // namespace

StatusOr<std::shared_ptr<kernel::Kernel>> KernelFor(const graph::Node& node, const WorkerEnv& env,
                                                    device::Device& device, WorkerSession* cache) {
  const auto make = [&]() -> StatusOr<std::unique_ptr<kernel::Kernel>> {
    const op::KernelRow* row = env.kernels->Find(node.op(), device.info().type, node.attrs());
    RHEO_ASSIGN_OR_RETURN(
        const kernel::MemoryKinds kinds,
        kernel::ResolveMemoryKinds(node.schema(), node.attrs(), node.types(), row));
    RHEO_ASSIGN_OR_RETURN(std::unique_ptr<kernel::Kernel> made,
                          env.kernels->Create({.node_name = node.name(),
                                               .schema = node.schema(),
                                               .attrs = node.attrs(),
                                               .types = node.types(),
                                               .device = device,
                                               .host_inputs = kinds.host_inputs,
                                               .host_outputs = kinds.host_outputs}));
    const bool on_host = !device.is_host_memory() && row->device_type == "DEFAULT";
    return on_host ? OnHost(std::move(made), device, node.types()) : std::move(made);
  };
  // Sends and Recvs are stateful by their schema, but have no state worth sharing.
  const bool stateful = node.schema().is_stateful && !graph::IsSend(node) && !graph::IsRecv(node);
  if (cache != nullptr && stateful) {
    return cache->CachedKernel(device.info().name, node.name(), make);
  }
  RHEO_ASSIGN_OR_RETURN(std::shared_ptr<kernel::Kernel> made, make());
  return made;
}

StatusOr<std::shared_ptr<RegisteredGraph>> CompileGraph(const graph::GraphDef& def,
                                                        const WorkerEnv& env,
                                                        std::shared_ptr<WorkerSession> session,
                                                        const std::string& handle) {
  RHEO_ASSIGN_OR_RETURN(
      std::unique_ptr<graph::Graph> graph,
      graph::ImportNew(def, {.allow_internal_names = true, .require_all_inputs = true}, *env.ops));
  RHEO_RETURN_IF_ERROR(AssignDevices(*session, *graph));
  for (const graph::Node* node : graph->nodes()) {
    RHEO_RETURN_IF_ERROR(graph::ValidateForExecution(*node, graph->versions()));
  }
  auto result = std::make_shared<RegisteredGraph>();
  result->session = session;
  result->routes = RoutesOf(*graph, *session, *result);
  const graph::FunctionLibraryRef library = graph->library();
  RHEO_ASSIGN_OR_RETURN(Parts parts, CutByDevice(env, *session, handle, std::move(graph)));
  for (auto& [name, part_graph] : parts) {
    RHEO_ASSIGN_OR_RETURN(const SessionDevice device, session->FindDevice(name));
    RegisteredGraph::Part part;
    part.device = device.device;
    part.resources = device.resources;
    RHEO_ASSIGN_OR_RETURN(part.plan,
                          executor::Plan::Compile(*part_graph, [&](const graph::Node& node) {
                            return KernelFor(node, env, *device.device, session.get());
                          }));
    if (!library->library().functions.empty()) {
      part.functions = MakeLocalFunctions(library, env, device);
    }
    part.def = graph::Export(*part_graph, {.assigned_devices = true});
    result->parts.push_back(std::move(part));
  }
  return result;
}

}  // namespace rheo::worker
