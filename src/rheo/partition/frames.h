// LoopFrames: in which loop of a graph each value travels.
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

  // The frame of the value on the edge: an edge into an Enter belongs to the outer loop, one out of
  // an Exit as well.
  FrameId OfEdge(const graph::Edge& edge) const;
  // The frame that the node runs in: of an Enter and an Exit, the inner one.
  FrameId OfNode(const graph::Node& node) const;

  const std::string& name(FrameId frame) const { return Get(frame).name; }
  FrameId outer(FrameId frame) const { return Get(frame).outer; }
  // One of the Enters of the frame; nullptr for the root.
  const graph::Node* enter(FrameId frame) const { return Get(frame).enter; }

  // Tells the frame of a node that was added after Compute().
  void Add(const graph::Node& node, FrameId frame);

 private:
  struct Frame {
    std::string name;
    FrameId outer = kRootFrame;
    const graph::Node* enter = nullptr;
  };
  StatusOr<FrameId> OfInputs(const graph::Node& node) const;
  FrameId OfOutput(const graph::Node& node) const;
  const Frame& Get(FrameId frame) const { return frames_[static_cast<size_t>(frame)]; }

  std::vector<Frame> frames_;
  std::vector<FrameId> of_node_;  // by node id
};

}  // namespace rheo::partition

#endif  // RHEO_PARTITION_FRAMES_H_
