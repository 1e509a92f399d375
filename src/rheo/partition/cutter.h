// Cutter: copies the nodes of a graph into the parts of their locations and joins the parts.
#ifndef RHEO_PARTITION_CUTTER_H_
#define RHEO_PARTITION_CUTTER_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "rheo/base/status.h"
#include "rheo/graph/graph.h"
#include "rheo/partition/partition.h"
#include "rheo/partition/transfer.h"

namespace rheo::partition {

using Parts = std::map<std::string, std::unique_ptr<graph::Graph>>;

// Goes once over the nodes in topological order: each is copied after its inputs, so the nodes of a
// part are in topological order too. Linear in nodes and edges.
class Cutter {
 public:
  // Both outlive this. Loops over several devices have their control loops already.
  Cutter(const Options& options, const graph::Graph& graph);

  // To be called once.
  StatusOr<Parts> Run();

 private:
  // What is the same for all nodes of a device.
  struct Site {
    graph::Graph* part = nullptr;
    bool is_cpu = true;
  };
  // An input of a node, in the node's part.
  struct Input {
    const graph::Edge* edge = nullptr;
    graph::Endpoint value;
    graph::Node* own_recv = nullptr;  // of a reference: received for this edge alone
  };
  // Consumers with equal keys read the same received value.
  struct SharedKey {
    int src_id = 0;
    int src_index = 0;
    const graph::Graph* part = nullptr;
    bool in_host_memory = false;
    friend bool operator==(const SharedKey&, const SharedKey&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const SharedKey& key) {
      return H::combine(std::move(h), key.src_id, key.src_index, key.part, key.in_host_memory);
    }
  };

  Site SiteOf(const graph::Node& node);
  graph::Node* CopyOf(const graph::Node& node) const {
    return copies_[static_cast<size_t>(node.id())];
  }
  Status Copy(const graph::Node& node);
  StatusOr<graph::Node*> AddCopy(const graph::Node& node);
  // Makes the value of an edge available in the part of its consumer.
  StatusOr<Input> Bring(const graph::Edge& edge);
  StatusOr<TransferMaker::Received> Carry(const Transfer& transfer);
  Transfer Describe(const graph::Edge& edge, const Site& to) const;
  void Connect(const Input& input, graph::Node* dst);
  bool KeepsDriver(const graph::Node& node);
  graph::Node* DriverOf(const graph::Node& node) const;

  const Options& options_;
  const graph::Graph& graph_;
  TransferMaker transfers_;
  graph::FunctionLibraryRef library_;
  Parts parts_;
  // Nodes of a device share the text of its name, so its address stands for it.
  absl::flat_hash_map<const std::string*, Site> sites_;
  std::vector<graph::Node*> copies_;  // by node id
  std::vector<const graph::Edge*> back_edges_;
  absl::flat_hash_map<SharedKey, graph::Node*> shared_;
};

}  // namespace rheo::partition

#endif  // RHEO_PARTITION_CUTTER_H_
