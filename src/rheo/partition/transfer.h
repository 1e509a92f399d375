// Transfers: the nodes that carry one value from a part to another (semantics.md 8.1, 8.2).
#ifndef RHEO_PARTITION_TRANSFER_H_
#define RHEO_PARTITION_TRANSFER_H_

#include <string>

#include "rheo/base/status.h"
#include "rheo/graph/graph.h"
#include "rheo/partition/partition.h"

namespace rheo::partition {

// One crossing edge with what decides about the nodes that stand in for it.
struct Transfer {
  const graph::Edge* edge = nullptr;  // in the graph that is cut
  DType dtype = DType::kFloat;        // what the consumer expects
  bool source_in_host_memory = false;
  bool destination_in_host_memory = false;
  bool same_device = false;  // between the two memories of one device
};

class TransferMaker {
 public:
  // `options` outlives this.
  explicit TransferMaker(const Options& options) : options_(options) {}

  // Adds the sending side to the part of the source, whose copy there is `src`; the value of a
  // control edge is an empty Const. Returns the Send.
  StatusOr<graph::Node*> AddSend(const Transfer& transfer, graph::Node* src, graph::Graph& part);

  struct Received {
    graph::Node* recv = nullptr;
    graph::Node* value = nullptr;  // what consumers read: recv, or a node behind it
  };
  // Adds the receiving side to the part of the destination.
  StatusOr<Received> AddRecv(const Transfer& transfer, graph::Graph& part);

 private:
  DType TravelType(const Transfer& transfer) const;
  op::AttrMap PairAttrs(const Transfer& transfer) const;
  StatusOr<graph::Node*> Add(graph::Graph& part, std::string_view prefix, std::string_view op,
                             op::AttrMap attrs, const std::string& device);
  StatusOr<graph::Node*> AddCast(const Transfer& transfer, graph::Graph& part, bool in_host_memory,
                                 DType from, DType to, graph::Endpoint input,
                                 const std::string& device);

  const Options& options_;
};

}  // namespace rheo::partition

#endif  // RHEO_PARTITION_TRANSFER_H_
