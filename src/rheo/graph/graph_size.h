// GraphSize: how much a program is, for limits.
#ifndef RHEO_GRAPH_GRAPH_SIZE_H_
#define RHEO_GRAPH_GRAPH_SIZE_H_

#include <cstdint>
#include <vector>

#include "rheo/graph/graph_def.h"

namespace rheo::graph {

struct GraphSize {
  int64_t nodes = 0;  // those of functions included
  int64_t bytes = 0;  // of names, texts and constants: about what the message takes

  friend GraphSize operator+(const GraphSize& a, const GraphSize& b) {
    return {a.nodes + b.nodes, a.bytes + b.bytes};
  }
};

// Cost: one look at each attr of each node, and at each string of constants.
GraphSize SizeOf(const std::vector<NodeDef>& nodes);
GraphSize SizeOf(const FunctionLibrary& library);
GraphSize SizeOf(const GraphDef& graph);

}  // namespace rheo::graph

#endif  // RHEO_GRAPH_GRAPH_SIZE_H_
