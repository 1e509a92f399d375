// LowerFunctionalOps: finds what to lower and what to inline, also in what was inlined.
#include <fmt/format.h>

#include <algorithm>

#include "rheo/graph/function.h"
#include "rheo/passes/lowering.h"
#include "rheo/passes/passes.h"

namespace rheo::passes {
namespace {

using graph::Graph;
using graph::Node;

// Functions that call themselves would go on for ever.
constexpr int kMaxAddedNodes = 2'000'000;

bool IsMarked(const Node& node, std::string_view attr) {
  return node.attrs().GetOr<bool>(attr, false);
}

bool IsComplete(const Node& node) {
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (node.input_edge(i) == nullptr) return false;
  }
  return true;
}

bool IsIf(const Node& node) { return node.op() == "If" || node.op() == "StatelessIf"; }
bool IsCase(const Node& node) { return node.op() == "Case" || node.op() == "StatelessCase"; }
bool IsWhile(const Node& node) { return node.op() == "While" || node.op() == "StatelessWhile"; }
bool IsCall(const Node& node) {
  return node.op() == "PartitionedCall" || node.op() == "StatefulPartitionedCall";
}

// The function that a node calls by having its name as op; empty for other nodes.
op::FuncRef NamedFunction(const Graph& graph, const Node& node) {
  if (graph.ops().Find(node.op()) != nullptr) return {};
  if (graph.library()->Find(node.op()) == nullptr) return {};
  return {.name = node.op(), .attrs = node.attrs()};
}

Status Inline(Graph& graph, Node* call, const op::FuncRef& function) {
  RHEO_ASSIGN_OR_RETURN(const graph::FunctionBody body,
                        graph::InstantiateFunction(function, graph.library(), graph.ops()));
  return graph::InlineCall(graph, call, body);
}

constexpr std::string_view kLower = "_lower_using_switch_merge";
constexpr std::string_view kInline = "_lower_as_multi_device_function";

Status LowerNode(bool inline_all_calls, Graph& graph, Node* node) {
  if (IsMarked(*node, kLower)) {
    // Other kinds of predicates are left to the kernel.
    if (IsIf(*node) && node->input_types()[0] == DType::kBool) return LowerIf(graph, node);
    if (IsCase(*node)) return LowerCase(graph, node);
    if (IsWhile(*node) && node->num_inputs() > 0) return LowerWhile(graph, node);
  }
  if (IsCall(*node) && (inline_all_calls || IsMarked(*node, kInline))) {
    RHEO_ASSIGN_OR_RETURN(const op::FuncRef function, node->attrs().Get<op::FuncRef>("f"));
    return Inline(graph, node, function);
  }
  if (!inline_all_calls) return OkStatus();
  const op::FuncRef function = NamedFunction(graph, *node);
  return function.name.empty() ? OkStatus() : Inline(graph, node, function);
}

}  // namespace

Status LowerFunctionalOps(bool inline_all_calls, Graph& graph) {
  const int limit = graph.num_node_ids() + kMaxAddedNodes;
  // Bodies come at the end, so that one walk over growing ids meets what they contain.
  for (int id = 0; id < graph.num_node_ids(); ++id) {
    Node* node = graph.node_by_id(id);
    if (node == nullptr || !IsComplete(*node)) continue;
    const std::string name = node->name();
    if (Status status = LowerNode(inline_all_calls, graph, node); !status.ok()) {
      return Append(status, fmt::format("\n\t [[{{{{node {}}}}}]]", name));
    }
    if (graph.num_node_ids() > limit) {
      return InvalidArgument("{{{{node {}}}}}: inlining does not end; does a function call itself?",
                             name);
    }
  }
  return OkStatus();
}

bool NeedsLowering(const Graph& graph) {
  const std::vector<Node*> nodes = graph.nodes();
  return std::ranges::any_of(
      nodes, [](const Node* node) { return IsMarked(*node, kLower) || IsMarked(*node, kInline); });
}

}  // namespace rheo::passes
