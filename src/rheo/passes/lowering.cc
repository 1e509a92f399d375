#include "rheo/passes/lowering.h"

#include <fmt/format.h>

#include <utility>

#include "rheo/graph/function.h"

namespace rheo::passes {

using graph::Edge;
using graph::Endpoint;
using graph::Node;

Lowering::Lowering(graph::Graph& graph, Node* node, std::vector<InlinedBody>& bodies)
    : graph_(graph), node_(node), bodies_(bodies) {}

StatusOr<Node*> Lowering::Add(std::string_view what, std::string op, op::AttrMap attrs,
                              const std::vector<Endpoint>& inputs, const std::string& device) {
  RHEO_ASSIGN_OR_RETURN(
      Node * added,
      graph_.AddNode({.name = graph_.UniqueName(fmt::format("{}/{}", node_->name(), what)),
                      .op = std::move(op),
                      .attrs = std::move(attrs),
                      .device = device}));
  for (size_t i = 0; i < inputs.size(); ++i) {
    RHEO_RETURN_IF_ERROR(graph_.CheckedAddEdge(inputs[i], added, static_cast<int>(i)));
  }
  return added;
}

StatusOr<Lowering::Inlined> Lowering::AddCall(std::string_view what, const op::FuncRef& function,
                                              const std::vector<Endpoint>& inputs,
                                              const op::DTypeVector& outputs, Node* before) {
  std::vector<DType> input_types;
  for (const Endpoint& input : inputs) {
    input_types.push_back(RemoveRef(input.node->output_types()[static_cast<size_t>(input.index)]));
  }
  op::AttrMap attrs;
  attrs.Set("Tin", input_types);
  attrs.Set("Tout", std::vector<DType>(outputs.begin(), outputs.end()));
  attrs.Set("f", function);
  RHEO_ASSIGN_OR_RETURN(Node * call,
                        Add(what, "StatefulPartitionedCall", std::move(attrs), inputs, device()));
  graph_.AddControlEdge(before, call);
  // Nodes of ours hold the call's results and its end while the body moves in.
  Inlined inlined;
  for (size_t i = 0; i < outputs.size(); ++i) {
    RHEO_ASSIGN_OR_RETURN(
        Node * result, Add(fmt::format("{}_output/_{}", what, i), "Identity", {{"T", outputs[i]}},
                           {{call, static_cast<int>(i)}}, device()));
    inlined.results.push_back({result, 0});
  }
  RHEO_ASSIGN_OR_RETURN(inlined.after,
                        Add(fmt::format("{}_executed", what), "NoOp", {}, {}, device()));
  graph_.AddControlEdge(call, inlined.after);
  RHEO_ASSIGN_OR_RETURN(const graph::FunctionBody body,
                        graph::InstantiateFunction(function, graph_.library(), graph_.ops()));
  const int first_id = graph_.num_node_ids();
  RHEO_RETURN_IF_ERROR(graph::InlineCall(graph_, call, body));
  bodies_.push_back({function.name, first_id, graph_.num_node_ids()});
  return inlined;
}

Status Lowering::Replace(const std::vector<Endpoint>& outputs, const std::vector<Node*>& after) {
  const std::string name = node_->name();
  graph_.RenameNode(node_, graph_.UniqueName(name + "/lowered"));
  Node* stand_in = nullptr;
  graph::NodeSpec spec{.name = name, .op = "NoOp", .device = device()};
  if (!outputs.empty()) {
    spec.op = "IdentityN";
    const op::DTypeVector& types = node_->output_types();
    spec.attrs.Set("T", std::vector<DType>(types.begin(), types.end()));
  }
  RHEO_ASSIGN_OR_RETURN(stand_in, graph_.AddNode(std::move(spec)));
  for (size_t i = 0; i < outputs.size(); ++i) {
    RHEO_RETURN_IF_ERROR(graph_.CheckedAddEdge(outputs[i], stand_in, static_cast<int>(i)));
  }
  for (Node* last : after) graph_.AddControlEdge(last, stand_in);
  const graph::EdgeList edges = node_->out_edges();
  for (const Edge* edge : edges) {
    if (edge->is_control()) {
      graph_.AddControlEdge(stand_in, edge->dst);
    } else {
      graph_.ReplaceInput(edge->dst, edge->dst_index,
                          outputs[static_cast<size_t>(edge->src_index)]);
    }
  }
  graph_.RemoveNode(node_);
  return OkStatus();
}

}  // namespace rheo::passes
