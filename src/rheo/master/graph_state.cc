#include "rheo/master/graph_state.h"

#include <fmt/format.h>

#include <utility>

#include "rheo/base/log.h"
#include "rheo/graph/import.h"
#include "rheo/passes/passes.h"
#include "rheo/placer/placer.h"

namespace rheo::master {
namespace {

using graph::Graph;
using graph::Node;

StatusOr<std::unique_ptr<Graph>> ExtendedClientGraph(const GraphState* before,
                                                     const graph::GraphDef& added,
                                                     const op::OpRegistry& ops) {
  const graph::ImportOptions options;
  if (before == nullptr) return graph::ImportNew(added, options, ops);
  for (const graph::NodeDef& node : added.nodes) {
    if (before->client->FindNode(node.name) != nullptr) {
      return InvalidArgument(
          "GraphDef argument to Extend includes node '{}', which was created by a previous call to "
          "Create or Extend in this session.",
          node.name);
    }
  }
  std::unique_ptr<Graph> graph = before->client->Clone();
  for (Node* node : graph->nodes()) node->set_assigned_device("");  // all is placed anew
  RHEO_RETURN_IF_ERROR(graph::Import(added, options, *graph));
  return graph;
}

// Attrs that the op does not have are kept and have no effect; those with "_" are for others.
void LogUnknownAttrs(const graph::GraphDef& added, const op::OpRegistry& ops) {
  StringSet logged;
  for (const graph::NodeDef& node : added.nodes) {
    const op::OpSchema* schema = ops.Find(node.op);
    if (schema == nullptr) continue;
    for (const auto& [name, value] : node.attrs) {
      if (name.starts_with('_') || schema->FindAttr(name) != nullptr) continue;
      if (!logged.insert(fmt::format("{} {}", node.op, name)).second) continue;
      RHEO_LOG(Warning, "node '{}': op {} has no attr '{}'; it is ignored", node.name, node.op,
               name);
    }
  }
}

Status PlaceGraph(const StringMap<std::string>* pinned, const SessionCluster& cluster,
                  const service::SessionConfig& config, Graph& graph) {
  placer::Request request;
  request.devices = cluster.AllDevices();
  request.master_task = cluster.own_task().name;
  request.catalog = [&cluster](std::string_view task) -> const op::KernelCatalog* {
    const Task* found = cluster.FindTask(task);
    return found == nullptr ? cluster.own_task().kernels.get() : found->kernels.get();
  };
  request.allow_soft_placement = config.allow_soft_placement;
  request.pinned = pinned;
  request.explain = config.log_device_placement;
  request.why_missing = [&cluster](const device::DeviceName& wanted) {
    return cluster.WhyMissing(wanted);
  };
  RHEO_ASSIGN_OR_RETURN(const placer::Result result, placer::Place(request, graph));
  for (const std::string& line : result.reasons) RHEO_LOG(Info, "{}", line);
  return OkStatus();
}

StringMap<std::string> StatefulNodes(const Graph& graph) {
  StringMap<std::string> devices;
  for (const Node* node : graph.nodes()) {
    if (node->schema().is_stateful) devices.emplace(node->name(), node->assigned_device());
  }
  return devices;
}

}  // namespace

StatusOr<std::shared_ptr<const GraphState>> NextGraphState(const GraphState* before,
                                                           const graph::GraphDef& added,
                                                           const SessionCluster& cluster,
                                                           const service::SessionConfig& config,
                                                           const op::OpRegistry& ops,
                                                           const service::Limits& limits) {
  constexpr std::string_view kWhose = "the session's graph";
  auto state = std::make_shared<GraphState>();
  state->nodes_size = graph::SizeOf(added.nodes);
  if (before != nullptr) state->nodes_size = before->nodes_size + state->nodes_size;
  // Clients send again functions that they have sent before.
  state->library_size = graph::SizeOf(added.library);
  RHEO_RETURN_IF_ERROR(
      service::CheckGraphSize(state->nodes_size + state->library_size, kWhose, limits));
  RHEO_ASSIGN_OR_RETURN(std::unique_ptr<Graph> client, ExtendedClientGraph(before, added, ops));
  if (before != nullptr) {
    state->library_size = client->library() == before->client->library()
                              ? before->library_size
                              : graph::SizeOf(client->library()->library());
    RHEO_RETURN_IF_ERROR(
        service::CheckGraphSize(state->nodes_size + state->library_size, kWhose, limits));
  }
  LogUnknownAttrs(added, ops);
  state->version = before == nullptr ? 0 : before->version + 1;
  // Most programs have nothing to lower: the placed graph is then the client's own.
  std::shared_ptr<Graph> placed = std::move(client);
  if (!config.disable_functional_lowering &&
      passes::NeedsLowering(config.function_inlining, *placed)) {
    state->client = placed;
    placed = placed->Clone();
    RHEO_RETURN_IF_ERROR(passes::LowerFunctionalOps(config.function_inlining, *placed));
  }
  RHEO_RETURN_IF_ERROR(
      PlaceGraph(before == nullptr ? nullptr : &before->pinned, cluster, config, *placed));
  state->pinned = StatefulNodes(*placed);
  if (state->client == nullptr) state->client = placed;
  state->placed = std::move(placed);
  return std::shared_ptr<const GraphState>(std::move(state));
}

}  // namespace rheo::master
