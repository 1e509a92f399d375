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

// Functions that call two functions that call two functions …: a few lines make any number of
// nodes.
constexpr int kMaxAddedNodes = 250'000;
// Bodies in bodies get longer and longer names; calls further in stay calls.
constexpr int kMaxDepth = 100;

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
bool IsParallelConcat(const Node& node) { return node.op() == "ParallelConcat"; }
bool IsCall(const Node& node) {
  return node.op() == "PartitionedCall" || node.op() == "StatefulPartitionedCall";
}

// The function that a node calls by having its name as op; empty for other nodes.
op::FuncRef NamedFunction(const Graph& graph, const Node& node) {
  if (graph.ops().Find(node.op()) != nullptr) return {};
  if (graph.library()->Find(node.op()) == nullptr) return {};
  return {.name = node.op(), .attrs = node.attrs()};
}

// Puts the body in the call's place and leaves a node of the call's name for fetches and targets.
Status InlineNamed(Graph& graph, Node* call, const graph::FunctionBody& body) {
  const std::string name = call->name();
  graph::NodeSpec spec{.name = graph.UniqueName(name + "/outputs"),
                       .op = "NoOp",
                       .device = call->requested_device()};
  if (call->num_outputs() > 0) {
    spec.op = "IdentityN";
    const op::DTypeVector& types = call->output_types();
    spec.attrs.Set("T", std::vector<DType>(types.begin(), types.end()));
  }
  RHEO_ASSIGN_OR_RETURN(Node * stand_in, graph.AddNode(std::move(spec)));
  for (int i = 0; i < call->num_outputs(); ++i) {
    RHEO_RETURN_IF_ERROR(graph.CheckedAddEdge({call, i}, stand_in, i));
  }
  graph.AddControlEdge(call, stand_in);
  RHEO_RETURN_IF_ERROR(graph::InlineCall(graph, call, body));
  graph.RenameNode(stand_in, name);
  return OkStatus();
}

// Whether the function asks to stay a call.
bool IsKeptAsCall(const Graph& graph, const op::FuncRef& function) {
  const graph::FunctionDef* def = graph.library()->Find(function.name);
  return def == nullptr || def->attrs.GetOr<bool>("_noinline", false);
}

constexpr std::string_view kLower = "_lower_using_switch_merge";
constexpr std::string_view kInline = "_lower_as_multi_device_function";

// The function that the node calls; its name is empty where the node is no call.
op::FuncRef CalledFunction(const Graph& graph, const Node& node) {
  if (!IsCall(node)) return NamedFunction(graph, node);
  StatusOr<op::FuncRef> function = node.attrs().Get<op::FuncRef>("f");
  return function.ok() ? *std::move(function) : op::FuncRef();
}

// One walk over a graph that also grows while it lasts.
class FunctionalLowering {
 public:
  FunctionalLowering(bool inline_all_calls, Graph& graph)
      : inline_all_calls_(inline_all_calls),
        graph_(graph),
        client_nodes_(graph.num_node_ids()),
        limit_(graph.num_node_ids() + kMaxAddedNodes) {}

  Status Run() {
    // Bodies come at the end, so that the walk over growing ids meets what they contain.
    for (int id = 0; id < graph_.num_node_ids(); ++id) {
      Node* node = graph_.node_by_id(id);
      if (node == nullptr || !IsComplete(*node)) continue;
      const std::string name = node->name();
      if (Status status = Lower(node); !status.ok()) {
        return Append(status, fmt::format("\n\t [[{{{{node {}}}}}]]", name));
      }
      if (graph_.num_node_ids() > limit_) {
        return InvalidArgument(
            "{{{{node {}}}}}: its functions have more than {} nodes, with those that they call",
            name, kMaxAddedNodes);
      }
    }
    return OkStatus();
  }

 private:
  // Nodes from `first_node` on, up to the next entry's, came with one body.
  struct Body {
    int first_node;
    int inside;            // index of the body that had the call; -1: the client's graph
    std::string function;  // empty: what stands around bodies
    int depth = 0;
  };

  Status Lower(Node* node) {
    const int inside = BodyOf(*node);
    const int first_node = graph_.num_node_ids();
    std::vector<InlinedBody> inlined;
    RHEO_RETURN_IF_ERROR(LowerNode(node, inside, inlined));
    if (graph_.num_node_ids() == first_node) return OkStatus();
    const int depth = DepthOf(inside) + 1;
    bodies_.push_back({first_node, inside, "", depth});
    for (InlinedBody& body : inlined) {
      bodies_.push_back({body.first_id, inside, std::move(body.function), depth});
      bodies_.push_back({body.end_id, inside, "", depth});
    }
    return OkStatus();
  }

  Status LowerNode(Node* node, int inside, std::vector<InlinedBody>& inlined) {
    if (DepthOf(inside) >= kMaxDepth) return OkStatus();
    if (IsMarked(*node, kLower) && !CallsWhatItIsInside(*node, inside)) {
      // Other kinds of predicates are left to the kernel.
      if (IsIf(*node) && node->input_types()[0] == DType::kBool) {
        return LowerIf(graph_, node, inlined);
      }
      if (IsCase(*node)) return LowerCase(graph_, node, inlined);
      if (IsWhile(*node) && node->num_inputs() > 0) return LowerWhile(graph_, node, inlined);
    }
    if (IsParallelConcat(*node)) return LowerParallelConcat(graph_, node);
    const bool must = IsCall(*node) && IsMarked(*node, kInline);
    if (!must && !inline_all_calls_) return OkStatus();
    const op::FuncRef called = CalledFunction(graph_, *node);
    // A function that calls itself ends, if it does, when it runs: the kernel calls it.
    if (called.name.empty() || IsInside(called.name, inside)) return OkStatus();
    if (!must && IsKeptAsCall(graph_, called)) return OkStatus();
    StatusOr<graph::FunctionBody> body =
        graph::InstantiateFunction(called, graph_.library(), graph_.ops());
    // Where inlining is only our choice, the call tells the error if it ever runs.
    if (!body.ok()) return must ? body.status() : OkStatus();
    const bool is_the_clients = node->id() < client_nodes_;
    const int first_id = graph_.num_node_ids();
    RHEO_RETURN_IF_ERROR(is_the_clients ? InlineNamed(graph_, node, *body)
                                        : graph::InlineCall(graph_, node, *body));
    inlined.push_back({called.name, first_id, graph_.num_node_ids()});
    return OkStatus();
  }

  // Whether a branch, condition or body of the node has the node in it.
  bool CallsWhatItIsInside(const Node& node, int inside) const {
    for (const auto& [name, value] : node.attrs()) {
      if (const op::FuncRef* function = value.func();
          function != nullptr && IsInside(function->name, inside)) {
        return true;
      }
    }
    const auto branches = node.attrs().Get<std::vector<op::FuncRef>>("branches");
    return branches.ok() && std::ranges::any_of(*branches, [&](const op::FuncRef& branch) {
             return IsInside(branch.name, inside);
           });
  }

  int BodyOf(const Node& node) const {
    const auto after = std::ranges::upper_bound(bodies_, node.id(), {}, &Body::first_node);
    return static_cast<int>(after - bodies_.begin()) - 1;
  }

  int DepthOf(int body) const { return body < 0 ? 0 : bodies_[static_cast<size_t>(body)].depth; }

  bool IsInside(const std::string& function, int body) const {
    for (; body >= 0; body = bodies_[static_cast<size_t>(body)].inside) {
      if (bodies_[static_cast<size_t>(body)].function == function) return true;
    }
    return false;
  }

  const bool inline_all_calls_;
  Graph& graph_;
  const int client_nodes_;
  const int limit_;
  std::vector<Body> bodies_;  // by first_node
};

}  // namespace

Status LowerFunctionalOps(bool inline_all_calls, Graph& graph) {
  return FunctionalLowering(inline_all_calls, graph).Run();
}

bool NeedsLowering(bool inline_all_calls, const Graph& graph) {
  const std::vector<Node*> nodes = graph.nodes();
  return std::ranges::any_of(nodes, [&](const Node* node) {
    return IsParallelConcat(*node) || IsMarked(*node, kLower) || IsMarked(*node, kInline) ||
           (inline_all_calls && !CalledFunction(graph, *node).name.empty());
  });
}

}  // namespace rheo::passes
