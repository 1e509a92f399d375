// Which nodes are members of collectives.
#ifndef RHEO_GRAPH_COLLECTIVE_NODES_H_
#define RHEO_GRAPH_COLLECTIVE_NODES_H_

#include "rheo/graph/graph.h"

namespace rheo::graph {

// True for a node that takes part in a collective of several devices.
inline bool IsCollective(const Node& node) {
  return node.schema().is_communication && node.op().starts_with("Collective");
}

}  // namespace rheo::graph

#endif  // RHEO_GRAPH_COLLECTIVE_NODES_H_
