// The steps of a placement: pinned nodes, groups (groups.h), then every node in two passes, each
// taking the best candidate (candidates.h) unless a heuristic prefers a neighbour's device.
#include "rheo/placer/placer.h"

#include <fmt/format.h>

#include <algorithm>

#include "rheo/placer/candidates.h"
#include "rheo/placer/groups.h"

namespace rheo::placer {
namespace {

using graph::Edge;
using graph::Graph;
using graph::Node;

// No inputs and one plain output: better placed where it is used.
bool IsGenerator(const Node& node) {
  return node.num_inputs() == 0 && node.num_outputs() == 1 && !IsRef(node.output_types()[0]) &&
         node.op() != "_Arg" && node.op() != "_DeviceArg";
}

// Reads the shape of its input, not the data.
bool ReadsShapeOnly(const Node& node) {
  return node.op() == "Shape" || node.op() == "Size" || node.op() == "Rank";
}

class Placement {
 public:
  Placement(const Request& request, Graph& graph)
      : request_(request),
        graph_(graph),
        support_(request),
        groups_(request, graph, specs_, support_),
        candidates_(request, specs_, support_) {
    if (request.explain) reasons_.resize(static_cast<size_t>(graph.num_node_ids()));
  }

  StatusOr<Result> Run() {
    RHEO_RETURN_IF_ERROR(Pin());
    RHEO_RETURN_IF_ERROR(groups_.Build());
    std::vector<Node*> generators;
    const std::vector<Node*> nodes = graph_.nodes();
    for (Node* node : nodes) {
      if (!node->assigned_device().empty()) continue;
      if (IsGenerator(*node)) {
        generators.push_back(node);
        continue;
      }
      RHEO_RETURN_IF_ERROR(Choose(*node, ReadsShapeOnly(*node) ? node->input(0).node : nullptr,
                                  "where its input is"));
    }
    for (Node* node : generators) {
      RHEO_RETURN_IF_ERROR(Choose(*node, OnlyConsumer(*node), "where its consumers are"));
    }
    return Explain(nodes);
  }

 private:
  // Stateful nodes of earlier versions keep their devices, as do nodes placed by the caller.
  Status Pin() {
    for (Node* node : graph_.nodes()) {
      if (request_.pinned != nullptr && node->schema().is_stateful) {
        const auto it = request_.pinned->find(node->name());
        if (it != request_.pinned->end()) node->set_assigned_device(it->second);
      }
      const std::string& device = node->assigned_device();
      if (device.empty()) continue;
      if (!candidates_.Exists(device)) {
        return Internal("node '{}' was placed on {}, which is no device of the session",
                        node->name(), device);
      }
      Reason(*node, [] { return std::string("placed earlier"); });
    }
    return OkStatus();
  }

  // A consumer whose device is that of all others; nullptr when there is none.
  static const Node* OnlyConsumer(const Node& node) {
    if (node.out_edges().empty()) return nullptr;
    const Node* first = node.out_edges().front()->dst;
    for (const Edge* edge : node.out_edges()) {
      if (edge->dst->assigned_device() != first->assigned_device()) return nullptr;
    }
    return first;
  }

  // The neighbour's device when the node may lie there, otherwise the best one.
  Status Choose(Node& node, const Node* neighbour, std::string_view neighbour_reason) {
    RHEO_ASSIGN_OR_RETURN(const Candidates::List* list, candidates_.ForNode(node, groups_));
    const bool follow =
        neighbour != nullptr && candidates_.Includes(*list, neighbour->assigned_device());
    const std::string& device =
        follow ? neighbour->assigned_device() : request_.devices[list->front()].name;
    Reason(node, [&] { return follow ? std::string(neighbour_reason) : WhyBest(node); });
    node.set_assigned_device(device);
    return groups_.Fix(node, device);
  }

  std::string WhyBest(const Node& node) {
    const Group& group = groups_.Get(groups_.Find(node));
    if (group.binder == &node) return fmt::format("requested '{}'", node.requested_device());
    if (group.binder != nullptr) {
      return fmt::format("with '{}', which requested '{}'", group.binder->name(),
                         group.binder->requested_device());
    }
    if (group.assigned != kAnyDevice) return "with the nodes it is colocated with";
    return "the first device with its kernels";
  }

  template <typename MakeText>
  void Reason(const Node& node, MakeText make_text) {
    if (request_.explain) reasons_[static_cast<size_t>(node.id())] = make_text();
  }

  // What the node asked for, where it did not get that.
  static std::string Overridden(const Node& node) {
    const auto asked = device::DeviceName::Parse(node.requested_device());
    const auto given = device::DeviceName::Parse(node.assigned_device());
    if (!asked.ok() || !given.ok() || asked->Covers(*given)) return "";
    return fmt::format(", though it requested '{}'", node.requested_device());
  }

  Result Explain(const std::vector<Node*>& nodes) const {
    Result result;
    if (!request_.explain) return result;
    for (const Node* node : nodes) {
      result.reasons.push_back(
          fmt::format("{}: ({}): {} — {}{}", node->name(), node->op(), node->assigned_device(),
                      reasons_[static_cast<size_t>(node->id())], Overridden(*node)));
    }
    return result;
  }

  const Request& request_;
  Graph& graph_;
  SpecTable specs_;
  KernelSupport support_;
  Groups groups_;
  Candidates candidates_;
  std::vector<std::string> reasons_;  // by node id
};

}  // namespace

StatusOr<Result> Place(const Request& request, Graph& graph) {
  if (request.devices.empty()) return FailedPrecondition("No devices are registered");
  return Placement(request, graph).Run();
}

}  // namespace rheo::placer
