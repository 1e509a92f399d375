// ComputeFrames(): which loop each node runs in.
#include <map>
#include <utility>

#include "rheo/graph/traversal.h"

namespace rheo::graph {
namespace {

constexpr int kRootFrame = 0;
constexpr int kUnknownFrame = -1;

struct Frame {
  FrameInfo info;
  int parent = kUnknownFrame;
};

class FrameBuilder {
 public:
  explicit FrameBuilder(const Graph& graph)
      : frame_of_(static_cast<size_t>(graph.num_node_ids()), kUnknownFrame) {
    frames_.push_back({});
  }

  // Sources were visited before, but those of back edges.
  Status Visit(const Node& node) {
    const Node* first_source = nullptr;
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Edge* edge = node.input_edge(i);
      if (edge != nullptr) RHEO_RETURN_IF_ERROR(VisitInput(node, *edge->src, first_source));
    }
    for (const Edge* edge : node.control_in_edges()) {
      RHEO_RETURN_IF_ERROR(VisitInput(node, *edge->src, first_source));
    }
    if (frame_of(node) == kUnknownFrame) frame_of(node) = kRootFrame;
    return OkStatus();
  }

  // After all were visited: the ends of back edges agree.
  Status CheckBackEdge(const Edge& edge) {
    const int from = frame_of(*edge.src);
    const int to = frame_of(*edge.dst);
    if (from == to) return OkStatus();
    return Mixed(*edge.dst, *edge.dst, to, *edge.src, from);
  }

  std::vector<FrameInfo> Result() const {
    std::vector<FrameInfo> result;
    result.reserve(frame_of_.size());
    for (const int frame : frame_of_) {
      const int known = frame == kUnknownFrame ? kRootFrame : frame;
      result.push_back(frames_[static_cast<size_t>(known)].info);
    }
    return result;
  }

 private:
  int& frame_of(const Node& node) { return frame_of_[static_cast<size_t>(node.id())]; }

  Status VisitInput(const Node& node, const Node& source, const Node*& first_source) {
    if (frame_of(source) == kUnknownFrame) return OkStatus();
    RHEO_ASSIGN_OR_RETURN(const int frame, FrameBehind(source));
    if (first_source == nullptr) {
      frame_of(node) = frame;
      first_source = &source;
    } else if (frame_of(node) != frame) {
      return Mixed(node, *first_source, frame_of(node), source, frame);
    }
    return OkStatus();
  }

  // The frame in which the outputs of `node` appear.
  StatusOr<int> FrameBehind(const Node& node) {
    const int frame = frame_of(node);
    if (IsEnter(node)) return ChildFrame(node, frame);
    if (!IsExit(node)) return frame;
    if (frame == kRootFrame) {
      return InvalidArgument("{{{{node {}}}}} leaves a loop, but is in none", node.name());
    }
    return frames_[static_cast<size_t>(frame)].parent;
  }

  StatusOr<int> ChildFrame(const Node& enter, int parent) {
    const op::AttrValue* attr = enter.attrs().Find("frame_name");
    const std::string* name = attr == nullptr ? nullptr : attr->As<std::string>();
    if (name == nullptr) {
      return InvalidArgument("{{{{node {}}}}} has no attr 'frame_name'", enter.name());
    }
    const int next = static_cast<int>(frames_.size());
    const auto [it, is_new] = children_.emplace(std::pair(parent, *name), next);
    if (is_new) {
      const int depth = frames_[static_cast<size_t>(parent)].info.depth + 1;
      frames_.push_back(
          {.info = {.frame_name = *name, .parent = &enter, .depth = depth}, .parent = parent});
    }
    return it->second;
  }

  Status Mixed(const Node& node, const Node& a, int frame_a, const Node& b, int frame_b) const {
    return InvalidArgument(
        "{{{{node {}}}}} has inputs from different frames. The input {{{{node {}}}}} is in frame "
        "'{}'. The input {{{{node {}}}}} is in frame '{}'.",
        node.name(), a.name(), frames_[static_cast<size_t>(frame_a)].info.frame_name, b.name(),
        frames_[static_cast<size_t>(frame_b)].info.frame_name);
  }

  std::vector<Frame> frames_;
  std::map<std::pair<int, std::string>, int> children_;
  std::vector<int> frame_of_;  // by node id
};

}  // namespace

StatusOr<std::vector<FrameInfo>> ComputeFrames(const Graph& graph) {
  RHEO_ASSIGN_OR_RETURN(const std::vector<Node*> order, TopologicalOrder(graph));
  FrameBuilder builder(graph);
  for (const Node* node : order) RHEO_RETURN_IF_ERROR(builder.Visit(*node));
  for (const Node* node : order) {
    if (!IsNextIteration(*node)) continue;
    for (const Edge* edge : node->out_edges()) {
      if (IsMerge(*edge->dst)) RHEO_RETURN_IF_ERROR(builder.CheckBackEdge(*edge));
    }
  }
  return builder.Result();
}

}  // namespace rheo::graph
