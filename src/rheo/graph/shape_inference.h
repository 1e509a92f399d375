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
  ShapeRefiner() = default;

  // Runs the shape function of `node`, whose inputs were refined before (inputs that were not are
  // unknown); a call of a function of the library gets the shapes of its body's results. The error
  // names the node; its outputs stay unknown then.
  Status Refine(const Node& node);
  // Unknown rank for an endpoint that was not refined.
  PartialShape ShapeOf(const Endpoint& endpoint) const;
  // The value of an endpoint where it follows from constants (Const, Shape, Pack, Concat, Cast,
  // Range, … of known ones); nullptr otherwise. Valid as long as the refiner.
  const Tensor* ConstantOf(const Endpoint& endpoint) const;

 private:
  // For the body of a function that is called with `arg_shapes`.
  ShapeRefiner(std::vector<PartialShape> arg_shapes, int depth)
      : arg_shapes_(std::move(arg_shapes)), depth_(depth) {}

  Status RunShapeFn(const Node& node, op::ShapeContext& context);
  StatusOr<std::vector<PartialShape>> FunctionShapes(const Graph& graph,
                                                     const op::FuncRef& function,
                                                     std::vector<PartialShape> inputs) const;

  std::vector<std::vector<PartialShape>> shapes_;  // by node id, output
  std::vector<std::vector<Tensor>> constants_;     // likewise; an entry may have no value
  std::vector<PartialShape> arg_shapes_;           // of the `_Arg` nodes, by index
  int depth_ = 0;                                  // of nested function calls
};

// Refines a whole graph in topological order. Errors as Refine.
StatusOr<ShapeRefiner> InferShapes(const Graph& graph);

}  // namespace rheo::graph

#endif  // RHEO_GRAPH_SHAPE_INFERENCE_H_
