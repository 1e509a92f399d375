#include "rheo/master/tensor_connections.h"

#include "rheo/graph/traversal.h"

namespace rheo::master {
namespace {

using graph::Edge;
using graph::Endpoint;
using graph::Graph;
using graph::Node;

StatusOr<Endpoint> FindOutput(const Graph& graph, const std::string& name) {
  const graph::TensorName parsed = graph::ParseTensorName(name);
  Node* node = graph.FindNode(parsed.node);
  if (parsed.index < 0) return InvalidArgument("FeedInputs: {} is a control output", name);
  if (node == nullptr || parsed.index >= node->num_outputs()) {
    return NotFound("FeedInputs: unable to find feed output {}", parsed.ToString());
  }
  return Endpoint{node, parsed.index};
}

Status Connect(const std::string& from_name, const std::string& to_name, Graph& graph) {
  RHEO_ASSIGN_OR_RETURN(const Endpoint from, FindOutput(graph, from_name));
  RHEO_ASSIGN_OR_RETURN(const Endpoint to, FindOutput(graph, to_name));
  op::AttrMap attrs;
  attrs.Set("T", RemoveRef(from.node->output_types()[static_cast<size_t>(from.index)]));
  RHEO_ASSIGN_OR_RETURN(Node * identity,
                        graph.AddNode({.name = graph.UniqueName(to.node->name() + "/_connected"),
                                       .op = "Identity",
                                       .attrs = std::move(attrs),
                                       .device = from.node->requested_device()}));
  identity->set_assigned_device(from.node->assigned_device());
  const graph::EdgeList edges = to.node->out_edges();
  RHEO_RETURN_IF_ERROR(graph.CheckedAddEdge(from, identity, 0));
  for (const Edge* edge : edges) {
    if (edge->is_control() || edge->src_index != to.index) continue;
    Node* const dst = edge->dst;
    const int dst_index = edge->dst_index;
    graph.RemoveEdge(edge);
    RHEO_RETURN_IF_ERROR(graph.CheckedAddEdge({identity, 0}, dst, dst_index));
  }
  if (!graph::TopologicalOrder(graph).ok()) {
    return InvalidArgument(
        "Requested Tensor connection between nodes \"{}\" and \"{}\" would create a cycle.",
        from.node->name(), to.node->name());
  }
  return OkStatus();
}

}  // namespace

Status ConnectTensors(const std::vector<std::pair<std::string, std::string>>& connections,
                      graph::Graph& graph) {
  for (const auto& [from, to] : connections) {
    RHEO_RETURN_IF_ERROR(Connect(from, to, graph));
  }
  return OkStatus();
}

}  // namespace rheo::master
