// Orders and reachability of a graph.
#ifndef RHEO_GRAPH_TRAVERSAL_H_
#define RHEO_GRAPH_TRAVERSAL_H_

#include <vector>

#include "rheo/base/status.h"
#include "rheo/graph/graph.h"

namespace rheo::graph {

// Every node after its sources; edges out of NextIteration do not count. INVALID_ARGUMENT
// "<k> nodes in a cycle" naming one of them. Iterative: depth is no limit.
StatusOr<std::vector<Node*>> TopologicalOrder(const Graph& graph);

// By node id: true for the roots and everything they depend on over data and control edges.
std::vector<bool> ReachableBackwards(const Graph& graph, const std::vector<Node*>& roots);

bool IsSwitch(const Node& node);         // Switch, RefSwitch, _SwitchN
bool IsMerge(const Node& node);          // Merge, RefMerge
bool IsEnter(const Node& node);          // Enter, RefEnter
bool IsExit(const Node& node);           // Exit, RefExit
bool IsNextIteration(const Node& node);  // NextIteration, RefNextIteration
bool IsLoopCond(const Node& node);
bool IsSend(const Node& node);           // Send, _Send, _HostSend
bool IsRecv(const Node& node);           // Recv, _Recv, _HostRecv

// The control-flow frame of each node, by node id.
struct FrameInfo {
  std::string frame_name;  // "" outside loops
  const Node* parent = nullptr;  // an Enter of the frame, through which the outer frame is found
  int depth = 0;
};
// INVALID_ARGUMENT when a node has inputs from different frames, naming it.
StatusOr<std::vector<FrameInfo>> ComputeFrames(const Graph& graph);

}  // namespace rheo::graph

#endif  // RHEO_GRAPH_TRAVERSAL_H_
