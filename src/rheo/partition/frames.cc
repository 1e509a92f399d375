#include "rheo/partition/frames.h"

#include <algorithm>
#include <map>
#include <utility>

#include "rheo/graph/traversal.h"

namespace rheo::partition {
namespace {

using graph::Edge;
using graph::Graph;
using graph::Node;

}  // namespace

StatusOr<LoopFrames> LoopFrames::Compute(const Graph& graph) {
  RHEO_ASSIGN_OR_RETURN(const std::vector<Node*> order, graph::TopologicalOrder(graph));
  LoopFrames result;
  result.frames_.resize(1);
  result.of_node_.assign(static_cast<size_t>(graph.num_node_ids()), kRootFrame);
  std::map<std::pair<FrameId, std::string>, FrameId> ids;
  for (const Node* node : order) {
    RHEO_ASSIGN_OR_RETURN(FrameId frame, result.OfInputs(*node));
    if (IsEnter(*node)) {
      const std::string name = node->attrs().GetOr<std::string>("frame_name", "");
      const auto [it, added] =
          ids.try_emplace({frame, name}, static_cast<FrameId>(result.frames_.size()));
      if (added) result.frames_.push_back({.name = name, .outer = frame, .enter = node});
      frame = it->second;
    }
    result.of_node_[static_cast<size_t>(node->id())] = frame;
  }
  return result;
}

StatusOr<FrameId> LoopFrames::OfInputs(const Node& node) const {
  const Node* first = nullptr;
  for (const Edge* edge : node.in_edges()) {
    if (IsNextIteration(*edge->src)) continue;  // comes later in topological order
    if (first == nullptr) {
      first = edge->src;
    } else if (OfOutput(*first) != OfOutput(*edge->src)) {
      return InvalidArgument(
          "{{{{node {}}}}} has inputs from different frames. The input {{{{node {}}}}} is in frame "
          "'{}'. The input {{{{node {}}}}} is in frame '{}'.",
          node.name(), first->name(), name(OfOutput(*first)), edge->src->name(),
          name(OfOutput(*edge->src)));
    }
  }
  return first == nullptr ? kRootFrame : OfOutput(*first);
}

FrameId LoopFrames::OfOutput(const Node& node) const {
  const FrameId frame = OfNode(node);
  return IsExit(node) ? outer(frame) : frame;
}

FrameId LoopFrames::OfEdge(const Edge& edge) const {
  const FrameId frame = OfNode(*edge.dst);
  return IsEnter(*edge.dst) ? outer(frame) : frame;
}

FrameId LoopFrames::OfNode(const Node& node) const {
  return of_node_[static_cast<size_t>(node.id())];
}

void LoopFrames::Add(const Node& node, FrameId frame) {
  const auto id = static_cast<size_t>(node.id());
  if (id >= of_node_.size()) of_node_.resize(id + 1, kRootFrame);
  of_node_[id] = frame;
}

}  // namespace rheo::partition
