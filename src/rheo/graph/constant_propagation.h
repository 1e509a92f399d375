// Values that are known while a graph is built, for shape functions that need them.
#ifndef RHEO_GRAPH_CONSTANT_PROPAGATION_H_
#define RHEO_GRAPH_CONSTANT_PROPAGATION_H_

#include <span>
#include <vector>

#include "rheo/graph/graph.h"

namespace rheo::graph {

// The outputs of `node` as far as they follow from its inputs' shapes and constants (nullptr =
// unknown); an entry without a value, or an empty result, is unknown. Besides Const only small
// integer tensors are computed, since they serve as shapes and positions.
std::vector<Tensor> KnownOutputs(const Node& node, std::span<const PartialShape> shapes,
                                 std::span<const Tensor* const> constants);

}  // namespace rheo::graph

#endif  // RHEO_GRAPH_CONSTANT_PROPAGATION_H_
