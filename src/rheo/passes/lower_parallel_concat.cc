// ParallelConcat becomes one tensor without values and an update for each input: whatever comes
// first is written first. No worker has a kernel for the op itself.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "rheo/passes/lowering.h"

namespace rheo::passes {

using graph::Edge;
using graph::Graph;
using graph::Node;

Status LowerParallelConcat(Graph& graph, Node* node) {
  std::vector<InlinedBody> no_bodies;
  Lowering lowering(graph, node, no_bodies);
  RHEO_ASSIGN_OR_RETURN(const DType type, node->attrs().Get<DType>("T"));
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, node->attrs().Get<PartialShape>("shape"));
  RHEO_ASSIGN_OR_RETURN(Node * start, lowering.Add("start", "_ParallelConcatStart",
                                                   {{"dtype", type}, {"shape", std::move(shape)}},
                                                   {}, lowering.device()));
  for (const Edge* edge : node->control_in_edges()) graph.AddControlEdge(edge->src, start);
  // All share the tensor, so that all must be where it is.
  const std::vector<std::string> beside_start = {"loc:@" + start->name()};
  RHEO_ASSIGN_OR_RETURN(Node * result,
                        lowering.Add("result", "Identity", {{"T", type}, {"_class", beside_start}},
                                     {{start, 0}}, lowering.device()));
  for (int i = 0; i < node->num_inputs(); ++i) {
    RHEO_ASSIGN_OR_RETURN(Node * update,
                          lowering.Add(fmt::format("update/_{}", i), "_ParallelConcatUpdate",
                                       {{"T", type}, {"loc", int64_t{i}}, {"_class", beside_start}},
                                       {{start, 0}, node->input(i)}, lowering.device()));
    graph.AddControlEdge(update, result);
  }
  return lowering.Replace({{result, 0}}, {});
}

}  // namespace rheo::passes
