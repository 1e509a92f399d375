// While becomes a loop of Enter, Merge, LoopCond, Switch, NextIteration and Exit around the inlined
// condition and body.
#include <fmt/format.h>

#include <utility>

#include "rheo/passes/lowering.h"

namespace rheo::passes {
namespace {

using graph::Edge;
using graph::Endpoint;
using graph::Graph;
using graph::Node;

class WhileLoop {
 public:
  WhileLoop(Graph& graph, Node* node, std::vector<InlinedBody>& bodies)
      : lowering_(graph, node, bodies), num_vars_(static_cast<size_t>(node->num_inputs())) {}

  Status Run() {
    RHEO_RETURN_IF_ERROR(AddEntries());
    RHEO_RETURN_IF_ERROR(AddCondition());
    RHEO_RETURN_IF_ERROR(AddBody());
    return AddExits();
  }

 private:
  DType type(size_t i) const { return lowering_.node()->output_types()[i]; }
  // Where a loop variable's own nodes run: with the producer of its first value.
  const std::string& DeviceOfVar(size_t i) const {
    return Lowering::DeviceOf(lowering_.node()->input(static_cast<int>(i)));
  }

  StatusOr<Node*> AddForVar(size_t i, std::string_view what, std::string op,
                            const std::vector<Endpoint>& inputs, op::AttrMap attrs = {}) {
    attrs.Set("T", type(i));
    return lowering_.Add(fmt::format("{}/_{}", what, i), std::move(op), std::move(attrs), inputs,
                         DeviceOfVar(i));
  }

  Status AddEntries() {
    Node* node = lowering_.node();
    op::AttrMap attrs;
    attrs.Set("frame_name", node->name());
    attrs.Set("parallel_iterations", node->attrs().GetOr<int64_t>("parallel_iterations", 10));
    for (size_t i = 0; i < num_vars_; ++i) {
      RHEO_ASSIGN_OR_RETURN(
          Node * enter, AddForVar(i, "enter", "Enter", {node->input(static_cast<int>(i))}, attrs));
      for (const Edge* edge : node->control_in_edges()) {
        lowering_.graph().AddControlEdge(edge->src, enter);
      }
      // The second input follows once the body is there.
      op::AttrMap two;
      two.Set("N", 2);
      RHEO_ASSIGN_OR_RETURN(Node * merge, AddForVar(i, "merge", "Merge", {{enter, 0}}, two));
      merges_.push_back(merge);
    }
    return OkStatus();
  }

  Status AddCondition() {
    RHEO_ASSIGN_OR_RETURN(const op::FuncRef cond,
                          lowering_.node()->attrs().Get<op::FuncRef>("cond"));
    std::vector<Endpoint> inputs;
    for (Node* merge : merges_) inputs.push_back({merge, 0});
    RHEO_ASSIGN_OR_RETURN(const Lowering::Inlined inlined,
                          lowering_.AddCall("cond", cond, inputs, {DType::kBool}, merges_.front()));
    RHEO_ASSIGN_OR_RETURN(
        loop_cond_, lowering_.Add("LoopCond", "LoopCond", {}, inlined.results, lowering_.device()));
    lowering_.graph().AddControlEdge(inlined.after, loop_cond_);
    for (size_t i = 0; i < num_vars_; ++i) {
      RHEO_ASSIGN_OR_RETURN(Node * node_switch,
                            AddForVar(i, "switch", "Switch", {{merges_[i], 0}, {loop_cond_, 0}}));
      switches_.push_back(node_switch);
    }
    return OkStatus();
  }

  Status AddBody() {
    RHEO_ASSIGN_OR_RETURN(const op::FuncRef body,
                          lowering_.node()->attrs().Get<op::FuncRef>("body"));
    RHEO_ASSIGN_OR_RETURN(Node * pivot, lowering_.Add("body_pivot", "Identity", {{"T", type(0)}},
                                                      {{switches_.front(), 1}}, DeviceOfVar(0)));
    std::vector<Endpoint> inputs;
    op::DTypeVector types;
    for (size_t i = 0; i < num_vars_; ++i) {
      inputs.push_back({switches_[i], 1});
      types.push_back(type(i));
    }
    RHEO_ASSIGN_OR_RETURN(const Lowering::Inlined inlined,
                          lowering_.AddCall("body", body, inputs, types, pivot));
    for (size_t i = 0; i < num_vars_; ++i) {
      RHEO_ASSIGN_OR_RETURN(Node * next,
                            AddForVar(i, "next", "NextIteration", {inlined.results[i]}));
      lowering_.graph().AddControlEdge(inlined.after, next);
      RHEO_RETURN_IF_ERROR(lowering_.graph().CheckedAddEdge({next, 0}, merges_[i], 1));
    }
    return OkStatus();
  }

  Status AddExits() {
    std::vector<Endpoint> outputs;
    for (size_t i = 0; i < num_vars_; ++i) {
      RHEO_ASSIGN_OR_RETURN(Node * exit, AddForVar(i, "exit", "Exit", {{switches_[i], 0}}));
      outputs.push_back({exit, 0});
    }
    return lowering_.Replace(outputs, {});
  }

  Lowering lowering_;
  const size_t num_vars_;
  std::vector<Node*> merges_;
  std::vector<Node*> switches_;
  Node* loop_cond_ = nullptr;
};

}  // namespace

Status LowerWhile(Graph& graph, Node* node, std::vector<InlinedBody>& bodies) {
  return WhileLoop(graph, node, bodies).Run();
}

}  // namespace rheo::passes
