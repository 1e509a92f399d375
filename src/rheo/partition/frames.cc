#include "rheo/partition/frames.h"

#include "absl/container/flat_hash_map.h"
#include "rheo/graph/traversal.h"

namespace rheo::partition {

using graph::FrameInfo;
using graph::Graph;
using graph::Node;

StatusOr<LoopFrames> LoopFrames::Compute(const Graph& graph) {
  RHEO_ASSIGN_OR_RETURN(const std::vector<FrameInfo> infos, graph::ComputeFrames(graph));
  LoopFrames result;
  result.frames_.resize(1);
  result.of_node_.assign(infos.size(), kRootFrame);
  // Nodes of one frame name the same Enter.
  absl::flat_hash_map<const Node*, FrameId> ids;
  for (size_t i = 0; i < infos.size(); ++i) {
    const FrameInfo& info = infos[i];
    if (info.parent == nullptr) continue;
    const auto [it, added] =
        ids.try_emplace(info.parent, static_cast<FrameId>(result.frames_.size()));
    if (added) result.frames_.push_back({.name = info.frame_name, .enter = info.parent});
    result.of_node_[i] = it->second;
  }
  for (Frame& frame : result.frames_) {
    if (frame.enter != nullptr) frame.outer = result.Of(*frame.enter);
  }
  return result;
}

}  // namespace rheo::partition
