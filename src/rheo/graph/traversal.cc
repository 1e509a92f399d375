#include "rheo/graph/traversal.h"

#include <algorithm>

namespace rheo::graph {
namespace {

// The edge that closes a loop; it does not order its ends.
bool IsBackEdge(const Edge& edge) {
  return !edge.is_control() && IsNextIteration(*edge.src) && IsMerge(*edge.dst);
}

// The edges into `node` that order it. Looks at sources only where there may be back edges: in a
// large graph every other node touched is a miss of the cache.
int CountOrderingInputs(const Node& node) {
  const bool may_close_loop = IsMerge(node);
  int count = static_cast<int>(node.control_in_edges().size());
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Edge* edge = node.input_edge(i);
    if (edge != nullptr && !(may_close_loop && IsNextIteration(*edge->src))) ++count;
  }
  return count;
}

const Node* PendingSource(const Node& node, const std::vector<int>& pending) {
  for (const Edge* edge : node.in_edges()) {
    if (!IsBackEdge(*edge) && pending[static_cast<size_t>(edge->src->id())] > 0) return edge->src;
  }
  return nullptr;
}

// A node of the cycle that keeps `start` waiting.
const Node* NodeInCycle(const Node* start, const std::vector<int>& pending) {
  std::vector<bool> seen(pending.size());
  const Node* node = start;
  while (!seen[static_cast<size_t>(node->id())]) {
    seen[static_cast<size_t>(node->id())] = true;
    const Node* source = PendingSource(*node, pending);
    if (source == nullptr) return node;
    node = source;
  }
  return node;
}

Status CycleError(const Graph& graph, size_t num_ordered, const std::vector<int>& pending) {
  for (const Node* node : graph.nodes()) {
    if (pending[static_cast<size_t>(node->id())] == 0) continue;
    return InvalidArgument("{} nodes in a cycle, among them {{{{node {}}}}}",
                           static_cast<size_t>(graph.num_nodes()) - num_ordered,
                           NodeInCycle(node, pending)->name());
  }
  return Internal("no node of a cycle was found");
}

bool OpIs(const Node& node, std::string_view a, std::string_view b) {
  return node.op() == a || node.op() == b;
}

}  // namespace

StatusOr<std::vector<Node*>> TopologicalOrder(const Graph& graph) {
  std::vector<int> pending(static_cast<size_t>(graph.num_node_ids()));
  std::vector<Node*> order;
  order.reserve(static_cast<size_t>(graph.num_nodes()));
  for (Node* node : graph.nodes()) {
    const int count = CountOrderingInputs(*node);
    pending[static_cast<size_t>(node->id())] = count;
    if (count == 0) order.push_back(node);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    const bool may_close_loop = IsNextIteration(*order[i]);
    for (const Edge* edge : order[i]->out_edges()) {
      if (may_close_loop && IsBackEdge(*edge)) continue;
      if (--pending[static_cast<size_t>(edge->dst->id())] == 0) order.push_back(edge->dst);
    }
  }
  if (order.size() == static_cast<size_t>(graph.num_nodes())) return order;
  return CycleError(graph, order.size(), pending);
}

std::vector<bool> ReachableBackwards(const Graph& graph, const std::vector<Node*>& roots) {
  std::vector<bool> reached(static_cast<size_t>(graph.num_node_ids()));
  std::vector<const Node*> stack;
  const auto visit = [&](const Node* node) {
    if (reached[static_cast<size_t>(node->id())]) return;
    reached[static_cast<size_t>(node->id())] = true;
    stack.push_back(node);
  };
  for (const Node* root : roots) visit(root);
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    for (int i = 0; i < node->num_inputs(); ++i) {
      if (const Edge* edge = node->input_edge(i)) visit(edge->src);
    }
    for (const Edge* edge : node->control_in_edges()) visit(edge->src);
  }
  return reached;
}

bool IsSwitch(const Node& node) {
  return OpIs(node, "Switch", "RefSwitch") || node.op() == "_SwitchN";
}
bool IsMerge(const Node& node) { return OpIs(node, "Merge", "RefMerge"); }
bool IsEnter(const Node& node) { return OpIs(node, "Enter", "RefEnter"); }
bool IsExit(const Node& node) { return OpIs(node, "Exit", "RefExit"); }
bool IsNextIteration(const Node& node) { return OpIs(node, "NextIteration", "RefNextIteration"); }
bool IsLoopCond(const Node& node) { return node.op() == "LoopCond"; }
bool IsSend(const Node& node) { return OpIs(node, "Send", "_Send") || node.op() == "_HostSend"; }
bool IsRecv(const Node& node) { return OpIs(node, "Recv", "_Recv") || node.op() == "_HostRecv"; }

}  // namespace rheo::graph
