// Prune: feeds and fetches become _Recv and _Send nodes on the client device, and what nothing asks
// for goes away. Linear in the size of the graph.
#include <fmt/format.h>

#include <bit>

#include "rheo/graph/traversal.h"
#include "rheo/passes/passes.h"

namespace rheo::passes {
namespace {

using graph::Edge;
using graph::Graph;
using graph::Node;
using graph::TensorName;

class Pruner {
 public:
  Pruner(const PruneRequest& request, Graph& graph) : request_(request), graph_(graph) {}

  Status Run() {
    if (request_.fetches.empty() && request_.targets.empty()) {
      return InvalidArgument("Must specify at least one target to fetch or execute.");
    }
    RHEO_RETURN_IF_ERROR(CheckNames());
    for (const std::string& feed : feeds_) RHEO_RETURN_IF_ERROR(InsertFeed(feed));
    for (const std::string& fetch : fetches_) RHEO_RETURN_IF_ERROR(InsertFetch(fetch));
    RHEO_RETURN_IF_ERROR(FindTargets());
    DropUnreached();
    return OkStatus();
  }

 private:
  static std::string Canonical(const std::string& name) {
    return graph::ParseTensorName(name).ToString();
  }

  // Fills feeds_ and fetches_ with canonical names; a repeated fetch counts once.
  Status CheckNames() {
    StringSet fed;
    for (const std::string& feed : request_.feeds) {
      std::string name = Canonical(feed);
      if (!fed.insert(name).second) {
        return InvalidArgument("Endpoint \"{}\" fed more than once.", name);
      }
      feeds_.push_back(std::move(name));
    }
    StringSet fetched;
    for (const std::string& fetch : request_.fetches) {
      std::string name = Canonical(fetch);
      if (fed.contains(name)) return InvalidArgument("{} is both fed and fetched.", name);
      if (fetched.insert(name).second) fetches_.push_back(std::move(name));
    }
    return OkStatus();
  }

  Status InsertFeed(const std::string& feed) {
    const TensorName name = graph::ParseTensorName(feed);
    Node* fed = graph_.FindNode(name.node);
    if (fed == nullptr) return NotFound("FeedInputs: unable to find feed output {}", feed);
    if (name.index < 0) return InvalidArgument("FeedInputs: {} is a control output", feed);
    if (name.index >= fed->num_outputs()) {
      return InvalidArgument("FeedInputs: {} should have output index < {}", feed,
                             fed->num_outputs());
    }
    const DType type = RemoveRef(fed->output_types()[static_cast<size_t>(name.index)]);
    RHEO_ASSIGN_OR_RETURN(Node * recv, AddClientNode("_recv", "_Recv", "tensor_type", type, name));
    return MoveConsumers(fed, name.index, recv);
  }

  // Lets everything that reads output `index` of `fed` read `recv`; what merely waits for a fed
  // Placeholder waits for `recv` as well.
  Status MoveConsumers(Node* fed, int index, Node* recv) {
    const bool is_placeholder = fed->op() == "Placeholder" || fed->op() == "PlaceholderV2";
    const graph::EdgeList edges(fed->out_edges().begin(), fed->out_edges().end());
    for (const Edge* edge : edges) {
      Node* const dst = edge->dst;
      const int dst_index = edge->dst_index;
      if (edge->is_control()) {
        if (!is_placeholder) continue;
        graph_.RemoveEdge(edge);
        graph_.AddControlEdge(recv, dst);
      } else if (edge->src_index == index) {
        graph_.RemoveEdge(edge);
        RHEO_RETURN_IF_ERROR(graph_.CheckedAddEdge({recv, 0}, dst, dst_index));
      }
    }
    return OkStatus();
  }

  Status InsertFetch(const std::string& fetch) {
    const TensorName name = graph::ParseTensorName(fetch);
    Node* fetched = graph_.FindNode(name.node);
    if (fetched == nullptr) return NotFound("FetchOutputs node {}: not found", fetch);
    if (name.index < 0) return InvalidArgument("FetchOutputs {}: is a control output", fetch);
    if (fetched->num_outputs() == 0) {
      return InvalidArgument(
          "Tried to fetch data for '{}', which produces no output. To run the node without "
          "fetching, name '{}' as a target.",
          fetch, name.node);
    }
    if (name.index >= fetched->num_outputs()) {
      return InvalidArgument("FetchOutputs {}: output index too large, must be < {}", fetch,
                             fetched->num_outputs());
    }
    const DType type = RemoveRef(fetched->output_types()[static_cast<size_t>(name.index)]);
    RHEO_ASSIGN_OR_RETURN(Node * send, AddClientNode("_send", "_Send", "T", type, name));
    roots_.push_back(send);
    return graph_.CheckedAddEdge({fetched, name.index}, send, 0);
  }

  // A _Recv or _Send on the client device whose other end is the client.
  StatusOr<Node*> AddClientNode(std::string_view prefix, const std::string& op,
                                std::string_view type_attr, DType type, const TensorName& name) {
    op::AttrMap attrs;
    attrs.Set(type_attr, type);
    attrs.Set("tensor_name", name.ToString());
    attrs.Set("send_device", request_.client_device);
    attrs.Set("send_device_incarnation", std::bit_cast<int64_t>(request_.client_incarnation.value));
    attrs.Set("recv_device", request_.client_device);
    attrs.Set("client_terminated", true);
    RHEO_ASSIGN_OR_RETURN(
        Node * node, graph_.AddNode({.name = graph_.UniqueName(
                                         fmt::format("{}_{}_{}", prefix, name.node, name.index)),
                                     .op = op,
                                     .attrs = std::move(attrs),
                                     .device = request_.client_device}));
    node->set_assigned_device(request_.client_device);
    return node;
  }

  Status FindTargets() {
    std::string missing;
    for (const std::string& target : request_.targets) {
      Node* node = graph_.FindNode(target);
      if (node == nullptr) node = graph_.FindNode(graph::ParseTensorName(target).node);
      if (node == nullptr) {
        missing += (missing.empty() ? "" : ", ") + target;
      } else {
        roots_.push_back(node);
      }
    }
    if (missing.empty()) return OkStatus();
    return NotFound("PruneForTargets: Some target nodes not found: {}", missing);
  }

  void DropUnreached() {
    const std::vector<bool> needed = graph::ReachableBackwards(graph_, roots_);
    // The newest first: consumers mostly follow their sources, so that edges go from the short end.
    for (int id = graph_.num_node_ids() - 1; id >= 0; --id) {
      Node* node = graph_.node_by_id(id);
      if (node != nullptr && !needed[static_cast<size_t>(id)]) graph_.RemoveNode(node);
    }
  }

  const PruneRequest& request_;
  Graph& graph_;
  std::vector<std::string> feeds_;
  std::vector<std::string> fetches_;
  std::vector<Node*> roots_;
};

}  // namespace

Status Prune(const PruneRequest& request, graph::Graph& graph) {
  return Pruner(request, graph).Run();
}

}  // namespace rheo::passes
