// Orders and reachability of a graph.
#ifndef RHEO_GRAPH_TRAVERSAL_H_
#define RHEO_GRAPH_TRAVERSAL_H_

#include <vector>

#include "rheo/base/status.h"
#include "rheo/graph/graph.h"

namespace rheo::graph {

// Every node after its sources; edges from a NextIteration to a Merge do not count.
// INVALID_ARGUMENT
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
bool IsSend(const Node& node);  // Send, _Send, _HostSend
bool IsRecv(const Node& node);  // Recv, _Recv, _HostRecv

// The control-flow frame in which a node runs. An Enter runs in the outer frame and gives its
// output to the inner one; an Exit runs in the inner frame.
struct FrameInfo {
  std::string frame_name;        // "" outside loops
  const Node* parent = nullptr;  // an Enter into this frame, which itself is in the outer frame
  int depth = 0;                 // 0 outside loops
};
// By node id. INVALID_ARGUMENT when a node has inputs from different frames, or an Exit is in none,
// naming it.
StatusOr<std::vector<FrameInfo>> ComputeFrames(const Graph& graph);

}  // namespace rheo::graph

#endif  // RHEO_GRAPH_TRAVERSAL_H_
