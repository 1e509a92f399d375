// What the lowerings of If, Case and While share. Internal to passes/.
#ifndef RHEO_PASSES_LOWERING_H_
#define RHEO_PASSES_LOWERING_H_

#include <string>
#include <string_view>
#include <vector>

#include "rheo/graph/graph.h"

namespace rheo::passes {

// The nodes that a function's body became: ids first_id to end_id - 1.
struct InlinedBody {
  std::string function;
  int first_id = 0;
  int end_id = 0;
};

// A functional node on its way to become primitives. New nodes are named `<node>/<what>`; the
// node's place in the graph is taken by a node of the same name at the end, so that fetches,
// targets and control edges go on to work.
class Lowering {
 public:
  // `bodies` gets those that take part.
  Lowering(graph::Graph& graph, graph::Node* node, std::vector<InlinedBody>& bodies);

  graph::Graph& graph() { return graph_; }
  graph::Node* node() { return node_; }
  const graph::Node* node() const { return node_; }
  const std::string& device() const { return node_->requested_device(); }
  // The device that the producer of the value asked for.
  static const std::string& DeviceOf(const graph::Endpoint& value) {
    return value.node->requested_device();
  }

  // Adds `<node>/<what>` with the inputs.
  StatusOr<graph::Node*> Add(std::string_view what, std::string op, op::AttrMap attrs,
                             const std::vector<graph::Endpoint>& inputs, const std::string& device);
  // Adds a call of `function` and puts the function's body in its place. `results` are nodes that
  // give the outputs, and `after` one that runs when the call, with its side effects, is over.
  struct Inlined {
    std::vector<graph::Endpoint> results;
    graph::Node* after = nullptr;
  };
  StatusOr<Inlined> AddCall(std::string_view what, const op::FuncRef& function,
                            const std::vector<graph::Endpoint>& inputs,
                            const op::DTypeVector& outputs, graph::Node* before);

  // Lets `outputs` stand for the node's, with `after` for those who only wait, and removes the
  // node.
  Status Replace(const std::vector<graph::Endpoint>& outputs,
                 const std::vector<graph::Node*>& after);

 private:
  graph::Graph& graph_;
  graph::Node* const node_;
  std::vector<InlinedBody>& bodies_;
};

// Each gives INVALID_ARGUMENT or NOT_FOUND, naming the node, when a function does not fit, and adds
// the bodies that it put into the graph.
Status LowerIf(graph::Graph& graph, graph::Node* node, std::vector<InlinedBody>& bodies);
Status LowerCase(graph::Graph& graph, graph::Node* node, std::vector<InlinedBody>& bodies);
Status LowerWhile(graph::Graph& graph, graph::Node* node, std::vector<InlinedBody>& bodies);
Status LowerParallelConcat(graph::Graph& graph, graph::Node* node);

}  // namespace rheo::passes

#endif  // RHEO_PASSES_LOWERING_H_
