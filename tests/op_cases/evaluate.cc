#include "evaluate.h"

#include "rheo/graph/traversal.h"

namespace rheo::ops {
namespace {

using graph::Endpoint;
using graph::Node;

class Evaluator {
 public:
  Evaluator(const graph::Graph& graph, const Feeds& feeds, KernelRunner& runner)
      : feeds_(feeds), runner_(runner), values_(static_cast<size_t>(graph.num_node_ids())) {}

  Status Run(const Node& node) {
    std::vector<Tensor>& outputs = values_[static_cast<size_t>(node.id())];
    if (const Tensor* fed = Fed({const_cast<Node*>(&node), 0}); fed != nullptr) {
      outputs = {*fed};
      return OkStatus();
    }
    if (node.op() == "Const") {
      RHEO_ASSIGN_OR_RETURN(Tensor value, node.attrs().Get<Tensor>("value"));
      outputs = {std::move(value)};
      return OkStatus();
    }
    std::vector<Tensor> inputs;
    for (int i = 0; i < node.num_inputs(); ++i) inputs.push_back(ValueOf(node.input(i)));
    StatusOr<std::vector<Tensor>> result =
        runner_.RunOp(node.op(), node.attrs(), std::move(inputs));
    if (!result.ok()) return Prefix(result.status(), node.name() + " (" + node.op() + "): ");
    outputs = *std::move(result);
    return OkStatus();
  }

  Tensor ValueOf(const Endpoint& at) const {
    return values_[static_cast<size_t>(at.node->id())][static_cast<size_t>(at.index)];
  }

 private:
  const Tensor* Fed(const Endpoint& endpoint) const {
    for (const auto& [at, value] : feeds_) {
      if (at == endpoint) return &value;
    }
    return nullptr;
  }

  const Feeds& feeds_;
  KernelRunner& runner_;
  std::vector<std::vector<Tensor>> values_;  // by node id, output
};

}  // namespace

StatusOr<std::vector<Tensor>> Evaluate(const graph::Graph& graph,
                                       const std::vector<Endpoint>& fetches, const Feeds& feeds,
                                       KernelRunner& runner) {
  std::vector<Node*> roots;
  for (const Endpoint& e : fetches) roots.push_back(e.node);
  const std::vector<bool> needed = graph::ReachableBackwards(graph, roots);
  RHEO_ASSIGN_OR_RETURN(const std::vector<Node*> order, graph::TopologicalOrder(graph));
  Evaluator evaluator(graph, feeds, runner);
  for (const Node* node : order) {
    if (needed[static_cast<size_t>(node->id())]) RHEO_RETURN_IF_ERROR(evaluator.Run(*node));
  }
  std::vector<Tensor> values;
  for (const Endpoint& e : fetches) values.push_back(evaluator.ValueOf(e));
  return values;
}

}  // namespace rheo::ops
