#include "rheo/partition/transfer.h"

#include <fmt/format.h>

#include <utility>

namespace rheo::partition {

using graph::Endpoint;
using graph::Graph;
using graph::Node;

DType TransferMaker::TravelType(const Transfer& transfer) const {
  const bool narrow = options_.bfloat16_transfer && transfer.dtype == DType::kFloat &&
                      !transfer.edge->is_control() && !transfer.same_device;
  return narrow ? DType::kBfloat16 : transfer.dtype;
}

// Both ends have these attrs with equal values: they make the rendezvous key.
op::AttrMap TransferMaker::PairAttrs(const Transfer& transfer) const {
  const Node& src = *transfer.edge->src;
  const Node& dst = *transfer.edge->dst;
  const Incarnation incarnation = options_.incarnation(src.assigned_device());
  op::AttrMap attrs{{"tensor_name", fmt::format("edge_{}_{}", transfer.edge->id, src.name())},
                    {"send_device", src.assigned_device()},
                    {"send_device_incarnation", static_cast<int64_t>(incarnation.value)},
                    {"recv_device", dst.assigned_device()},
                    {"client_terminated", false},
                    {"_src", src.name()},
                    {"_dst", dst.name()}};
  if (transfer.same_device) attrs.Set("_hostmem_sendrecv", true);
  return attrs;
}

StatusOr<Node*> TransferMaker::Add(Graph& part, std::string_view prefix, std::string_view op,
                                   op::AttrMap attrs, const std::string& device) {
  RHEO_ASSIGN_OR_RETURN(Node* const node, part.AddNode({.name = options_.unique_name(prefix),
                                                        .op = std::string(op),
                                                        .attrs = std::move(attrs),
                                                        .device = device}));
  node->set_assigned_device(device);
  return node;
}

StatusOr<Node*> TransferMaker::AddCast(const Transfer& transfer, Graph& part, bool in_host_memory,
                                       DType from, DType to, Endpoint input,
                                       const std::string& device) {
  // Narrowing drops the lower bits instead of rounding, as TensorFlow's transfers do.
  op::AttrMap attrs{{"SrcT", from}, {"DstT", to}, {"Truncate", to == DType::kBfloat16}};
  RHEO_ASSIGN_OR_RETURN(Node* const cast,
                        Add(part, transfer.edge->src->name(), in_host_memory ? "_HostCast" : "Cast",
                            std::move(attrs), device));
  part.AddEdge(input, cast, 0);
  return cast;
}

StatusOr<Node*> TransferMaker::AddSend(const Transfer& transfer, Node* src, Graph& part) {
  const std::string& device = transfer.edge->src->assigned_device();
  Endpoint value{src, transfer.edge->src_index};
  if (transfer.edge->is_control()) {
    RHEO_ASSIGN_OR_RETURN(
        value.node,
        Add(part, src->name() + "/ctrl", "Const",
            {{"dtype", DType::kFloat}, {"value", Tensor(DType::kFloat, Shape({0}))}}, device));
    value.index = 0;
    part.AddControlEdge(src, value.node);
  }
  const DType travel_type = TravelType(transfer);
  if (travel_type != transfer.dtype) {
    RHEO_ASSIGN_OR_RETURN(value.node, AddCast(transfer, part, transfer.source_in_host_memory,
                                              transfer.dtype, travel_type, value, device));
    value.index = 0;
  }
  op::AttrMap attrs = PairAttrs(transfer);
  attrs.Set("T", travel_type);
  RHEO_ASSIGN_OR_RETURN(
      Node* const send,
      Add(part, src->name(), transfer.source_in_host_memory ? "_HostSend" : "_Send",
          std::move(attrs), device));
  part.AddEdge(value, send, 0);
  return send;
}

StatusOr<TransferMaker::Received> TransferMaker::AddRecv(const Transfer& transfer, Graph& part) {
  const std::string& src_name = transfer.edge->src->name();
  const std::string& device = transfer.edge->dst->assigned_device();
  const DType travel_type = TravelType(transfer);
  op::AttrMap attrs = PairAttrs(transfer);
  attrs.Set("tensor_type", travel_type);
  Received received;
  RHEO_ASSIGN_OR_RETURN(
      received.recv,
      Add(part, src_name, transfer.destination_in_host_memory ? "_HostRecv" : "_Recv",
          std::move(attrs), device));
  received.value = received.recv;
  if (travel_type != transfer.dtype) {
    RHEO_ASSIGN_OR_RETURN(received.value,
                          AddCast(transfer, part, transfer.destination_in_host_memory, travel_type,
                                  transfer.dtype, {received.recv, 0}, device));
  } else if (transfer.edge->is_control()) {
    RHEO_ASSIGN_OR_RETURN(received.value,
                          Add(part, src_name, "Identity", {{"T", travel_type}}, device));
    part.AddEdge({received.recv, 0}, received.value, 0);
  }
  return received;
}

}  // namespace rheo::partition
