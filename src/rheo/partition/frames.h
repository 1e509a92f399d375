// LoopFrames: in which loop each node of a graph runs, with loops as numbers.
#ifndef RHEO_PARTITION_FRAMES_H_
#define RHEO_PARTITION_FRAMES_H_

#include <string>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/graph/graph.h"

namespace rheo::partition {

// The number of a frame; the frame outside all loops is 0.
using FrameId = int;
inline constexpr FrameId kRootFrame = 0;

class LoopFrames {
 public:
  // INVALID_ARGUMENT when a node has inputs from different frames, naming it.
  static StatusOr<LoopFrames> Compute(const graph::Graph& graph);

  // The frame that the node runs in, which is that of all values it receives: of an Enter the outer
  // one, of an Exit the inner one.
  FrameId Of(const graph::Node& node) const { return of_node_[static_cast<size_t>(node.id())]; }

  const std::string& name(FrameId frame) const { return Get(frame).name; }
  FrameId outer(FrameId frame) const { return Get(frame).outer; }
  // One of the Enters of the frame; nullptr for the root.
  const graph::Node* enter(FrameId frame) const { return Get(frame).enter; }

 private:
  struct Frame {
    std::string name;
    FrameId outer = kRootFrame;
    const graph::Node* enter = nullptr;
  };
  const Frame& Get(FrameId frame) const { return frames_[static_cast<size_t>(frame)]; }

  std::vector<Frame> frames_;
  std::vector<FrameId> of_node_;  // by node id
};

}  // namespace rheo::partition

#endif  // RHEO_PARTITION_FRAMES_H_
