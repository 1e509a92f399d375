#include "rheo/partition/cutter.h"

#include <algorithm>
#include <utility>

#include "rheo/device/device_name.h"
#include "rheo/graph/traversal.h"
#include "rheo/partition/control_flow.h"
#include "rheo/partition/incarnations.h"

namespace rheo::partition {
namespace {

using graph::Edge;
using graph::Graph;
using graph::Node;

// A control edge by which a control loop starts what its device receives.
bool IsDriverEdge(const Edge& edge) {
  return edge.is_control() && IsControlLoopMerge(*edge.src) &&
         edge.src->assigned_device() == edge.dst->assigned_device();
}

bool IsReference(const Edge& edge) {
  return !edge.is_control() && IsRef(edge.src->output_types()[static_cast<size_t>(edge.src_index)]);
}

DType WantedType(const Edge& edge) {
  if (edge.is_control()) return DType::kFloat;
  return RemoveRef(edge.dst->input_types()[static_cast<size_t>(edge.dst_index)]);
}

Status CheckInputs(const Node& node) {
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (node.input_edge(i) == nullptr) {
      return InvalidArgument("Incomplete graph, missing input {} of {}", i, node.name());
    }
  }
  return OkStatus();
}

}  // namespace

Cutter::Cutter(const Options& options, const Graph& graph)
    : options_(options),
      graph_(graph),
      transfers_(options),
      library_(FillIncarnations(options, graph.library())),
      copies_(static_cast<size_t>(graph.num_node_ids()), nullptr) {}

StatusOr<Parts> Cutter::Run() {
  RHEO_ASSIGN_OR_RETURN(const std::vector<Node*> order, graph::TopologicalOrder(graph_));
  for (const Node* node : order) RHEO_RETURN_IF_ERROR(Copy(*node));
  for (const Edge* edge : back_edges_) {
    RHEO_ASSIGN_OR_RETURN(const Input input, Bring(*edge));
    Connect(input, CopyOf(*edge->dst));
  }
  return std::move(parts_);
}

Cutter::Site Cutter::SiteOf(const Node& node) {
  const std::string& device = node.assigned_device();
  if (const auto it = sites_.find(&device); it != sites_.end()) return it->second;
  std::unique_ptr<Graph>& part = parts_[options_.location(device)];
  if (part == nullptr) {
    part = std::make_unique<Graph>(graph_.ops());
    part->set_library(library_);
    part->set_versions(graph_.versions());
  }
  const auto name = device::DeviceName::Parse(device);
  const bool is_cpu = !name.ok() || !name->type || *name->type == "CPU";
  return sites_[&device] = {.part = part.get(), .is_cpu = is_cpu};
}

Status Cutter::Copy(const Node& node) {
  RHEO_RETURN_IF_ERROR(CheckInputs(node));
  const bool keeps_driver = KeepsDriver(node);
  std::vector<Input> inputs;
  for (const Edge* edge : node.in_edges()) {
    if (IsDriverEdge(*edge) && !keeps_driver) continue;
    if (CopyOf(*edge->src) == nullptr) {
      back_edges_.push_back(edge);
      continue;
    }
    RHEO_ASSIGN_OR_RETURN(const Input input, Bring(*edge));
    inputs.push_back(input);
  }
  RHEO_ASSIGN_OR_RETURN(Node* const copy, AddCopy(node));
  for (const Input& input : inputs) Connect(input, copy);
  // A reference is read where it lies, so late: after everything else the consumer waits for.
  for (const Input& late : inputs) {
    if (late.own_recv == nullptr) continue;
    for (const Input& other : inputs) {
      if (IsReference(*other.edge)) continue;
      SiteOf(node).part->AddControlEdge(other.value.node, late.own_recv);
    }
  }
  return OkStatus();
}

StatusOr<Node*> Cutter::AddCopy(const Node& node) {
  const std::string& device = node.assigned_device();
  RHEO_ASSIGN_OR_RETURN(Node* const copy, SiteOf(node).part->AddNode({.name = node.name(),
                                                                      .op = node.op(),
                                                                      .attrs = node.attrs(),
                                                                      .device = device,
                                                                      .extra = node.extra()}));
  copy->set_assigned_device(device);
  FillIncarnation(options_, *copy);
  copies_[static_cast<size_t>(node.id())] = copy;
  return copy;
}

// The driver of a control loop moves from the consumer to the Recvs made for it. It stays where no
// Recv is made, and where a later cut by device will need it for an edge within this part.
bool Cutter::KeepsDriver(const Node& node) {
  if (DriverOf(node) == nullptr) return false;
  bool receives = false;
  for (const Edge* edge : node.in_edges()) {
    if (edge->src->assigned_device() == node.assigned_device()) continue;
    if (SiteOf(*edge->src).part == SiteOf(node).part) return true;
    receives = true;
  }
  return !receives;
}

Node* Cutter::DriverOf(const Node& node) const {
  for (const Edge* edge : node.control_in_edges()) {
    if (IsDriverEdge(*edge)) return CopyOf(*edge->src);
  }
  return nullptr;
}

Transfer Cutter::Describe(const Edge& edge, const Site& to) const {
  Transfer transfer{.edge = &edge, .dtype = WantedType(edge)};
  if (edge.is_control()) return transfer;
  const auto& output_in_host_memory = options_.output_in_host_memory;
  const auto& input_in_host_memory = options_.input_in_host_memory;
  transfer.source_in_host_memory =
      output_in_host_memory && output_in_host_memory(*edge.src, edge.src_index);
  transfer.destination_in_host_memory =
      input_in_host_memory && input_in_host_memory(*edge.dst, edge.dst_index);
  transfer.same_device = !to.is_cpu && edge.src->assigned_device() == edge.dst->assigned_device() &&
                         transfer.source_in_host_memory != transfer.destination_in_host_memory;
  return transfer;
}

StatusOr<Cutter::Input> Cutter::Bring(const Edge& edge) {
  const Site from = SiteOf(*edge.src);
  const Site to = SiteOf(*edge.dst);
  const bool same_part = from.part == to.part;
  const Input direct{.edge = &edge, .value = {CopyOf(*edge.src), edge.src_index}};
  if (same_part && to.is_cpu) return direct;
  const Transfer transfer = Describe(edge, to);
  if (same_part && !transfer.same_device) return direct;
  if (!edge.is_control() && IsRef(edge.dst->input_types()[static_cast<size_t>(edge.dst_index)])) {
    return InvalidArgument(
        "node '{}' on {} changes a reference of node '{}' on {}: references do not travel",
        edge.dst->name(), edge.dst->assigned_device(), edge.src->name(),
        edge.src->assigned_device());
  }
  const SharedKey key{.src_id = edge.src->id(),
                      .src_index = edge.src_index,
                      .part = to.part,
                      .in_host_memory = to.is_cpu || transfer.destination_in_host_memory};
  const bool own = IsReference(edge);
  if (const auto it = shared_.find(key); !own && it != shared_.end()) {
    return Input{.edge = &edge, .value = {it->second, 0}};
  }
  RHEO_ASSIGN_OR_RETURN(const TransferMaker::Received received, Carry(transfer));
  if (!own) shared_.emplace(key, received.value);
  return Input{
      .edge = &edge, .value = {received.value, 0}, .own_recv = own ? received.recv : nullptr};
}

StatusOr<TransferMaker::Received> Cutter::Carry(const Transfer& transfer) {
  const Edge& edge = *transfer.edge;
  Graph& part = *SiteOf(*edge.dst).part;
  RHEO_ASSIGN_OR_RETURN(Node* const send,
                        transfers_.AddSend(transfer, CopyOf(*edge.src), *SiteOf(*edge.src).part));
  RHEO_ASSIGN_OR_RETURN(const TransferMaker::Received received, transfers_.AddRecv(transfer, part));
  if (transfer.same_device) {
    part.AddControlEdge(send, received.recv);
  } else if (Node* driver = DriverOf(*edge.dst); driver != nullptr) {
    part.AddControlEdge(driver, received.recv);
  }
  return received;
}

void Cutter::Connect(const Input& input, Node* dst) {
  Graph& part = *SiteOf(*input.edge->dst).part;
  if (input.edge->is_control()) {
    part.AddControlEdge(input.value.node, dst);
  } else {
    part.AddEdge(input.value, dst, input.edge->dst_index);
  }
}

}  // namespace rheo::partition
