// FoldConstants: evaluates what depends on constants alone, in one pass in topological order.
#include <fmt/format.h>

#include "rheo/graph/shape_inference.h"
#include "rheo/graph/traversal.h"
#include "rheo/passes/passes.h"
#include "rheo/passes/simplifiable.h"

namespace rheo::passes {
namespace {

using graph::Edge;
using graph::Graph;
using graph::Node;

// A constant that is there from the start of the step.
bool IsFreeConst(const Node& node) {
  return node.op() == "Const" && node.control_in_edges().empty();
}

class Folder {
 public:
  Folder(const ConstantEvaluator& evaluator, size_t max_bytes, Graph& graph)
      : evaluator_(evaluator), max_bytes_(max_bytes), graph_(graph) {}

  Status Run() {
    RHEO_ASSIGN_OR_RETURN(const std::vector<Node*> order, graph::TopologicalOrder(graph_));
    for (Node* node : order) {
      if (CanFold(*node)) RHEO_RETURN_IF_ERROR(Fold(node));
    }
    RemoveUnused();
    return OkStatus();
  }

 private:
  bool CanFold(const Node& node) const {
    // A node without consumers is a target: it stays under its name.
    if (node.num_inputs() == 0 || node.out_edges().empty()) return false;
    if (!node.control_in_edges().empty() || !IsPure(node)) return false;
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Node* source = node.input(i).node;
      if (source == nullptr || !IsFreeConst(*source)) return false;
    }
    return true;
  }

  Status Fold(Node* node) {
    if (!FitsLimit(*node)) return OkStatus();
    std::vector<Tensor> inputs;
    for (int i = 0; i < node->num_inputs(); ++i) {
      const op::AttrValue* value = node->input(i).node->attrs().Find("value");
      if (value == nullptr || value->As<Tensor>() == nullptr) return OkStatus();
      inputs.push_back(*value->As<Tensor>());
    }
    StatusOr<std::vector<Tensor>> values = evaluator_(*node, std::move(inputs));
    if (!values.ok() || !AreOutputsOf(*node, *values)) return OkStatus();
    return Replace(node, *std::move(values));
  }

  // The shapes decide before anything is computed, so that a Fill of a gigabyte is never made here.
  bool FitsLimit(const Node& node) {
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (!refiner_.Refine(*node.input(i).node).ok()) return false;
    }
    if (!refiner_.Refine(node).ok()) return false;
    for (int i = 0; i < node.num_outputs(); ++i) {
      const PartialShape shape = refiner_.ShapeOf({const_cast<Node*>(&node), i});
      if (!shape.IsFullyDefined()) return false;
      const size_t element = DTypeSize(node.output_types()[static_cast<size_t>(i)]);
      if (static_cast<size_t>(shape.ToShape().num_elements()) > max_bytes_ / element) return false;
    }
    return true;
  }

  static bool AreOutputsOf(const Node& node, const std::vector<Tensor>& values) {
    if (values.size() != node.output_types().size()) return false;
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i].dtype() != node.output_types()[i]) return false;
    }
    return true;
  }

  // The consumers read constants from now on. Those that merely waited need not: nothing is left to
  // wait for.
  Status Replace(Node* node, std::vector<Tensor> values) {
    std::vector<Node*> constants(values.size(), nullptr);
    const graph::EdgeList edges = node->out_edges();
    for (const Edge* edge : edges) {
      if (edge->is_control()) continue;
      const size_t output = static_cast<size_t>(edge->src_index);
      if (constants[output] == nullptr) {
        RHEO_ASSIGN_OR_RETURN(constants[output], AddConstant(*node, std::move(values[output])));
      }
      graph_.ReplaceInput(edge->dst, edge->dst_index, {constants[output], 0});
    }
    for (int i = 0; i < node->num_inputs(); ++i) {
      maybe_unused_.push_back(node->input(i).node->id());
    }
    graph_.RemoveNode(node);
    return OkStatus();
  }

  StatusOr<Node*> AddConstant(const Node& node, Tensor value) {
    op::AttrMap attrs;
    attrs.Set("dtype", value.dtype());
    attrs.Set("value", std::move(value));
    RHEO_ASSIGN_OR_RETURN(Node * constant,
                          graph_.AddNode({.name = graph_.UniqueName(node.name() + "/_folded"),
                                          .op = "Const",
                                          .attrs = std::move(attrs),
                                          .device = node.requested_device()}));
    constant->set_assigned_device(node.assigned_device());
    return constant;
  }

  void RemoveUnused() {
    for (int id : maybe_unused_) {
      Node* node = graph_.node_by_id(id);
      if (node != nullptr && node->out_edges().empty()) graph_.RemoveNode(node);
    }
  }

  const ConstantEvaluator& evaluator_;
  const size_t max_bytes_;
  Graph& graph_;
  graph::ShapeRefiner refiner_;
  std::vector<int> maybe_unused_;  // node ids of constants whose consumers were folded
};

}  // namespace

Status FoldConstants(const ConstantEvaluator& evaluator, size_t max_bytes, graph::Graph& graph) {
  if (evaluator == nullptr) return OkStatus();
  return Folder(evaluator, max_bytes, graph).Run();
}

}  // namespace rheo::passes
