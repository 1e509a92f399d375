// InlineCall(): the body of a function in place of its call.
#include <fmt/format.h>

#include <algorithm>

#include "rheo/graph/function.h"
#include "rheo/graph/traversal.h"

namespace rheo::graph {
namespace {

constexpr std::string_view kColocationAttr = "_class";
constexpr std::string_view kColocationPrefix = "loc:@";

class Inliner {
 public:
  Inliner(Graph& graph, Node* call, const FunctionBody& body)
      : graph_(graph), call_(call), body_(body), prefix_(call->name() + '/') {}

  Status Run() {
    RHEO_RETURN_IF_ERROR(CheckSignature());
    copies_.resize(static_cast<size_t>(body_.graph->num_node_ids()));
    RHEO_RETURN_IF_ERROR(AddInputControl());
    RHEO_RETURN_IF_ERROR(AddArguments());
    RHEO_RETURN_IF_ERROR(CopyNodes());
    CopyEdges();
    HoldBackSources();
    RHEO_RETURN_IF_ERROR(AddOutputControl());
    MoveConsumers();
    graph_.RemoveNode(call_);
    return OkStatus();
  }

 private:
  Status CheckSignature() const {
    const auto fit = [](const op::DTypeVector& given, const op::DTypeVector& expected) {
      return std::equal(given.begin(), given.end(), expected.begin(), expected.end(),
                        [](DType a, DType b) { return RemoveRef(a) == RemoveRef(b); });
    };
    if (!fit(call_->input_types(), body_.arg_types) ||
        !fit(call_->output_types(), body_.return_types)) {
      return InvalidArgument("{{{{node {}}}}} does not have the signature of the function it calls",
                             call_->name());
    }
    for (int i = 0; i < call_->num_inputs(); ++i) {
      if (call_->input_edge(i) == nullptr) {
        return InvalidArgument("Incomplete graph, input {} of {} is missing", i, call_->name());
      }
    }
    return OkStatus();
  }

  Node*& copy_of(const Node& node) { return copies_[static_cast<size_t>(node.id())]; }

  StatusOr<Node*> AddNoOp(std::string_view name) {
    return graph_.AddNode({.name = graph_.UniqueName(prefix_ + std::string(name)),
                           .op = "NoOp",
                           .attrs = {},
                           .device = call_->requested_device(),
                           .extra = ""});
  }

  // One node that stands for all control inputs of the call.
  Status AddInputControl() {
    if (call_->control_in_edges().empty()) return OkStatus();
    RHEO_ASSIGN_OR_RETURN(input_control_, AddNoOp("input_control_node"));
    for (const Edge* edge : call_->control_in_edges()) {
      graph_.AddControlEdge(edge->src, input_control_);
    }
    return OkStatus();
  }

  Status AddArguments() {
    for (size_t i = 0; i < body_.args.size(); ++i) {
      const Endpoint source = call_->input(static_cast<int>(i));
      RHEO_ASSIGN_OR_RETURN(
          Node * identity,
          graph_.AddNode({.name = graph_.UniqueName(prefix_ + body_.args[i]->name()),
                          .op = "Identity",
                          .attrs = {{"T", RemoveRef(body_.arg_types[i])}},
                          .device = source.node->requested_device(),
                          .extra = ""}));
      graph_.AddEdge(source, identity, 0);
      if (input_control_ != nullptr) graph_.AddControlEdge(input_control_, identity);
      copy_of(*body_.args[i]) = identity;
    }
    return OkStatus();
  }

  bool IsEnd(const Node& node) const { return node.op() == "_Arg" || node.op() == "_Retval"; }

  Status CopyNodes() {
    for (const Node* node : body_.graph->nodes()) {
      if (IsEnd(*node)) continue;
      const std::string& own_device = node->requested_device();
      RHEO_ASSIGN_OR_RETURN(
          copy_of(*node),
          graph_.AddNode({.name = graph_.UniqueName(prefix_ + node->name()),
                          .op = node->op(),
                          .attrs = AttrsOf(*node),
                          .device = own_device.empty() ? call_->requested_device() : own_device,
                          .extra = node->extra()}));
    }
    return OkStatus();
  }

  // Loops get frames of their own per call; colocation follows the nodes to their new names.
  op::AttrMap AttrsOf(const Node& node) const {
    op::AttrMap attrs = node.attrs();
    if (IsEnter(node)) {
      attrs.Set("frame_name", prefix_ + attrs.GetOr<std::string>("frame_name", ""));
    }
    auto groups = attrs.Get<std::vector<std::string>>(kColocationAttr);
    if (groups.ok()) {
      for (std::string& group : *groups) {
        if (!group.starts_with(kColocationPrefix)) continue;
        const std::string target = group.substr(kColocationPrefix.size());
        if (body_.graph->FindNode(target) == nullptr) continue;
        group = std::string(kColocationPrefix) + prefix_ + target;
      }
      attrs.Set(kColocationAttr, *std::move(groups));
    }
    return attrs;
  }

  void CopyEdges() {
    for (const Node* node : body_.graph->nodes()) {
      Node* dst = copy_of(*node);
      if (IsEnd(*node)) continue;
      for (const Edge* edge : node->in_edges()) {
        Node* src = copy_of(*edge->src);
        if (edge->is_control()) {
          graph_.AddControlEdge(src, dst);
        } else {
          graph_.AddEdge({src, edge->src_index}, dst, edge->dst_index);
        }
      }
    }
  }

  // What has no inputs in the body waits for the control inputs of the call.
  void HoldBackSources() {
    if (input_control_ == nullptr) return;
    for (const Node* node : body_.graph->nodes()) {
      if (!IsEnd(*node) && copy_of(*node)->in_edges().empty()) {
        graph_.AddControlEdge(input_control_, copy_of(*node));
      }
    }
  }

  Endpoint Result(int i) {
    const Endpoint source = body_.returns[static_cast<size_t>(i)]->input(0);
    return {copy_of(*source.node), source.index};
  }

  // One node behind all results and side effects, for those that wait for the call.
  Status AddOutputControl() {
    const auto& out = call_->out_edges();
    if (std::none_of(out.begin(), out.end(), [](const Edge* e) { return e->is_control(); })) {
      return OkStatus();
    }
    RHEO_ASSIGN_OR_RETURN(output_control_, AddNoOp("output_control_node"));
    if (input_control_ != nullptr) graph_.AddControlEdge(input_control_, output_control_);
    for (int i = 0; i < call_->num_outputs(); ++i) {
      graph_.AddControlEdge(Result(i).node, output_control_);
    }
    for (const Node* node : body_.control_returns) {
      graph_.AddControlEdge(copy_of(*node), output_control_);
    }
    return OkStatus();
  }

  void MoveConsumers() {
    const EdgeList out = call_->out_edges();
    for (const Edge* edge : out) {
      Node* consumer = edge->dst;
      if (edge->is_control()) {
        graph_.AddControlEdge(output_control_, consumer);
      } else {
        graph_.ReplaceInput(consumer, edge->dst_index, Result(edge->src_index));
      }
    }
  }

  Graph& graph_;
  Node* const call_;
  const FunctionBody& body_;
  const std::string prefix_;
  std::vector<Node*> copies_;  // by node id of the body
  Node* input_control_ = nullptr;
  Node* output_control_ = nullptr;
};

}  // namespace

Status InlineCall(Graph& graph, Node* call, const FunctionBody& body) {
  return Inliner(graph, call, body).Run();
}

}  // namespace rheo::graph
