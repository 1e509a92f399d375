#include "rheo/partition/control_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "rheo/graph/traversal.h"
#include "rheo/partition/frames.h"

namespace rheo::partition {
namespace {

using graph::Edge;
using graph::Graph;
using graph::Node;

constexpr std::string_view kLoopPrefix = "_cloop";

// The consumer of the node's oldest data edge.
const Node* FirstConsumer(const Node& node) {
  const Edge* first = nullptr;
  for (const Edge* edge : node.out_edges()) {
    if (edge->is_control()) continue;
    if (first == nullptr || edge->id < first->id) first = edge;
  }
  return first == nullptr ? nullptr : first->dst;
}

// The node whose device a control-flow node should share; nullptr when it stays.
const Node* Companion(const Node& node) {
  if (IsSwitch(node) || IsExit(node)) return node.input(0).node;
  if (IsNextIteration(node)) return FirstConsumer(node);
  if (IsEnter(node) && !IsRef(node.input_types()[0])) return FirstConsumer(node);
  return nullptr;
}

// Makes the control loops of one graph.
class LoopMaker {
 public:
  LoopMaker(const Options& options, Graph& graph, LoopFrames frames)
      : options_(options), graph_(graph), frames_(std::move(frames)) {}

  Status Run() {
    const std::vector<Node*> nodes = graph_.nodes();
    for (Node* node : nodes) {
      if (IsLoopCond(*node)) conditions_[frames_.Of(*node)] = node;
      if (IsControlLoopMerge(*node)) {
        merges_.try_emplace({frames_.Of(*node), node->assigned_device()}, node);
      }
    }
    for (Node* node : nodes) RHEO_RETURN_IF_ERROR(DriveInputs(node));
    return OkStatus();
  }

 private:
  // The nodes of a loop that runs on one device only to count iterations.
  struct Loop {
    Node* enter = nullptr;
    Node* merge = nullptr;
  };

  Status DriveInputs(Node* dst) {
    for (const Edge* edge : dst->in_edges()) {
      if (edge->src->assigned_device() == dst->assigned_device()) continue;
      const FrameId frame = frames_.Of(*dst);
      if (frame == kRootFrame || IsDriven(*dst)) continue;
      RHEO_ASSIGN_OR_RETURN(Node * merge, MergeFor(frame, *dst));
      graph_.AddControlEdge(merge, dst);
    }
    return OkStatus();
  }

  static bool IsDriven(const Node& dst) {
    return std::any_of(dst.control_in_edges().begin(), dst.control_in_edges().end(),
                       [](const Edge* edge) { return IsControlLoopMerge(*edge->src); });
  }

  // The Merge of the control loop of `frame` on dst's device, made when it is not there yet. From
  // the inside out: each new loop is entered by the Merge of the outer one, the outermost by a
  // Const.
  StatusOr<Node*> MergeFor(FrameId frame, const Node& dst) {
    const std::string& device = dst.assigned_device();
    Node* result = nullptr;
    Node* inner_enter = nullptr;
    for (; frame != kRootFrame; frame = frames_.outer(frame)) {
      Node*& merge = merges_[{frame, device}];
      const bool existed = merge != nullptr;
      Node* enter = nullptr;
      if (!existed) {
        RHEO_ASSIGN_OR_RETURN(const Loop loop, MakeLoop(frame, dst));
        merge = loop.merge;
        enter = loop.enter;
      }
      if (result == nullptr) result = merge;
      if (inner_enter != nullptr) graph_.AddEdge({merge, 0}, inner_enter, 0);
      if (existed) return result;
      inner_enter = enter;
    }
    RHEO_ASSIGN_OR_RETURN(
        Node* const start,
        AddNode(options_.unique_name(dst.name()), "Const",
                {{"dtype", DType::kFloat}, {"value", Tensor(DType::kFloat, Shape({0}))}}, device));
    graph_.AddEdge({start, 0}, inner_enter, 0);
    return result;
  }

  StatusOr<Loop> MakeLoop(FrameId frame, const Node& dst) {
    const auto condition = conditions_.find(frame);
    if (condition == conditions_.end()) {
      return InvalidArgument("A cross-device loop must have a pivot predicate: {}",
                             frames_.name(frame));
    }
    const int64_t parallel_iterations =
        frames_.enter(frame)->attrs().GetOr<int64_t>("parallel_iterations", 10);
    auto add = [&](std::string_view op, op::AttrMap attrs) {
      attrs.Set("T", DType::kFloat);
      return AddNode(fmt::format("{}{}", kLoopPrefix, options_.unique_name(dst.name())), op,
                     std::move(attrs), dst.assigned_device());
    };
    RHEO_ASSIGN_OR_RETURN(Node* const enter,
                          add("Enter", {{"frame_name", frames_.name(frame)},
                                        {"parallel_iterations", parallel_iterations}}));
    RHEO_ASSIGN_OR_RETURN(Node* const merge, add("Merge", {{"N", int64_t{2}}}));
    RHEO_ASSIGN_OR_RETURN(Node* const gate, add("Switch", {}));
    RHEO_ASSIGN_OR_RETURN(Node* const next, add("NextIteration", {}));
    graph_.AddEdge({enter, 0}, merge, 0);
    graph_.AddEdge({next, 0}, merge, 1);
    graph_.AddEdge({merge, 0}, gate, 0);
    graph_.AddEdge({condition->second, 0}, gate, 1);
    graph_.AddEdge({gate, 1}, next, 0);
    // The condition may come from another device; its receiver is driven by this very loop.
    if (condition->second->assigned_device() != dst.assigned_device()) {
      graph_.AddControlEdge(merge, gate);
    }
    return Loop{.enter = enter, .merge = merge};
  }

  StatusOr<Node*> AddNode(std::string name, std::string_view op, op::AttrMap attrs,
                          const std::string& device) {
    RHEO_ASSIGN_OR_RETURN(Node* const node, graph_.AddNode({.name = std::move(name),
                                                            .op = std::string(op),
                                                            .attrs = std::move(attrs),
                                                            .device = device}));
    node->set_assigned_device(device);
    return node;
  }

  const Options& options_;
  Graph& graph_;
  LoopFrames frames_;
  absl::flat_hash_map<FrameId, Node*> conditions_;           // the LoopCond of each loop
  std::map<std::pair<FrameId, std::string>, Node*> merges_;  // by frame and device
};

bool IsControlFlow(const Node& node) {
  return IsSwitch(node) || IsEnter(node) || IsExit(node) || IsNextIteration(node);
}

}  // namespace

bool IsControlLoopMerge(const Node& node) {
  return node.name().starts_with(kLoopPrefix) && IsMerge(node);
}

bool HasControlFlow(const Graph& graph) {
  const std::vector<Node*> nodes = graph.nodes();
  return std::any_of(nodes.begin(), nodes.end(),
                     [](const Node* node) { return IsControlFlow(*node); });
}

Status MoveControlFlow(Graph& graph) {
  RHEO_ASSIGN_OR_RETURN(const std::vector<Node*> order, graph::TopologicalOrder(graph));
  for (Node* node : order) {
    const Node* companion = Companion(*node);
    if (companion != nullptr) node->set_assigned_device(companion->assigned_device());
  }
  return OkStatus();
}

Status AddControlLoops(const Options& options, Graph& graph) {
  RHEO_ASSIGN_OR_RETURN(LoopFrames frames, LoopFrames::Compute(graph));
  return LoopMaker(options, graph, std::move(frames)).Run();
}

}  // namespace rheo::partition
