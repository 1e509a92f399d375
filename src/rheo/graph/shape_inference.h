// ShapeRefiner: shapes of all endpoints of a growing graph, from the shape functions of the ops.
#ifndef RHEO_GRAPH_SHAPE_INFERENCE_H_
#define RHEO_GRAPH_SHAPE_INFERENCE_H_

#include <vector>

#include "rheo/base/status.h"
#include "rheo/graph/graph.h"
#include "rheo/op/shape_context.h"

namespace rheo::graph {

// Belongs to one graph; not thread-safe.
class ShapeRefiner {
 public:
  // Runs the shape function of `node`, whose inputs were refined before (inputs that were not are
  // unknown). The error names the node; its outputs stay unknown then.
  Status Refine(const Node& node);
  // Unknown rank for an endpoint that was not refined.
  PartialShape ShapeOf(const Endpoint& endpoint) const;
  // The value of an endpoint where it follows from constants (Const, Shape, Pack, Concat, Cast,
  // Range, … of known ones); nullptr otherwise.
  const Tensor* ConstantOf(const Endpoint& endpoint) const;

 private:
  std::vector<std::vector<PartialShape>> shapes_;  // by node id, output
  std::vector<std::vector<Tensor>> constants_;
};

// Refines a whole graph in topological order. Errors as Refine.
StatusOr<ShapeRefiner> InferShapes(const Graph& graph);

}  // namespace rheo::graph

#endif  // RHEO_GRAPH_SHAPE_INFERENCE_H_
