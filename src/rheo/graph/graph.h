// Graph: nodes and edges of a program, with types checked against the op schemas.
#ifndef RHEO_GRAPH_GRAPH_H_
#define RHEO_GRAPH_GRAPH_H_

#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/base/string_map.h"
#include "rheo/graph/function_library.h"
#include "rheo/graph/graph_def.h"
#include "rheo/op/op_registry.h"

namespace rheo::graph {

class Graph;
class Node;

// The input or output position of a control edge.
inline constexpr int kControlSlot = -1;

struct Edge {
  Node* src = nullptr;
  Node* dst = nullptr;
  int src_index = 0;  // kControlSlot for a control edge
  int dst_index = 0;  // kControlSlot for a control edge
  int id = 0;         // unique in the graph
  bool is_control() const { return src_index == kControlSlot; }

 private:
  friend class Graph;
  // Where the edge stands in the lists of its ends, so that it is removed in constant time.
  uint32_t out_position_ = 0;
  uint32_t control_position_ = 0;
};

// As large as a std::vector, without an allocation for two edges.
using EdgeList = absl::InlinedVector<const Edge*, 2>;

// One output of a node.
struct Endpoint {
  Node* node = nullptr;
  int index = 0;
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

// Owned by its graph; changed only through it or the setters here.
class Node {
 public:
  int id() const { return id_; }  // dense: < Graph::num_node_ids()
  const std::string& name() const { return name_; }
  const std::string& op() const { return schema_->name; }
  const op::OpSchema& schema() const { return *schema_; }
  const Graph& graph() const { return *graph_; }
  const op::AttrMap& attrs() const { return attrs_; }
  op::AttrMap& mutable_attrs() { return attrs_; }
  const op::DTypeVector& input_types() const { return types_.inputs; }
  const op::DTypeVector& output_types() const { return types_.outputs; }
  const op::NodeTypes& types() const { return types_; }
  int num_inputs() const { return static_cast<int>(types_.inputs.size()); }
  int num_outputs() const { return static_cast<int>(types_.outputs.size()); }

  // What the client asked for; may be partial or empty.
  const std::string& requested_device() const { return requested_device_; }
  void set_requested_device(std::string device) { requested_device_ = std::move(device); }
  // Where placement put it: a full name, or empty before placement.
  const std::string& assigned_device() const;
  // Spellings are kept once per graph: setting the same name on every node is cheap.
  void set_assigned_device(std::string_view device);

  // The edge into data input i, or nullptr when it is not connected.
  const Edge* input_edge(int i) const { return inputs_[static_cast<size_t>(i)]; }
  Endpoint input(int i) const {
    const Edge* e = input_edge(i);
    return e == nullptr ? Endpoint{} : Endpoint{e->src, e->src_index};
  }
  // Every edge that ends here: data in order of input, then control.
  EdgeList in_edges() const;
  const EdgeList& control_in_edges() const { return control_inputs_; }
  // Every edge that starts here, in no fixed order.
  const EdgeList& out_edges() const { return outputs_; }

  const std::string& extra() const { return extra_; }

 private:
  friend class Graph;
  Node() = default;

  Graph* graph_ = nullptr;
  int id_ = 0;
  std::string name_;
  const op::OpSchema* schema_ = nullptr;
  op::AttrMap attrs_;
  op::NodeTypes types_;
  std::string requested_device_;
  int assigned_device_ = 0;
  EdgeList inputs_;
  EdgeList control_inputs_;
  EdgeList outputs_;
  std::string extra_;
};

// What makes a node, apart from its edges.
struct NodeSpec {
  std::string name;
  std::string op;
  op::AttrMap attrs;
  std::string device;
  std::string extra;
};

// Not thread-safe while it changes; reading a const Graph from several threads is safe.
class Graph {
 public:
  // `ops` outlives the graph.
  explicit Graph(const op::OpRegistry& ops);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // A copy with nodes and edges of its own; node ids are those of this graph.
  std::unique_ptr<Graph> Clone() const;

  // The schema of an op or of a function of the library; nullptr when there is none.
  const op::OpSchema* FindOp(std::string_view op) const;
  const op::OpRegistry& ops() const { return ops_; }

  // Adds defaults of missing attrs and resolves the types. NOT_FOUND for an unknown op or an attr
  // that the types need, INVALID_ARGUMENT for a name that is taken or attrs that do not fit. The
  // name may be any non-empty text; Import checks the grammar of client names.
  StatusOr<Node*> AddNode(NodeSpec spec);
  // Precondition: types fit (CheckedAddEdge tests), input dst_index is free.
  const Edge* AddEdge(Endpoint src, Node* dst, int dst_index);
  // INVALID_ARGUMENT when an index is out of range, taken, or the types do not fit: "Input 0 of
  // node b was passed float from a:0 incompatible with expected int32."
  Status CheckedAddEdge(Endpoint src, Node* dst, int dst_index);
  // At most one control edge between two nodes; adding it again changes nothing.
  const Edge* AddControlEdge(Node* src, Node* dst);
  void RemoveEdge(const Edge* edge);
  // Removes the node and its edges.
  void RemoveNode(Node* node);
  // Lets input dst_index come from `src` instead of its present source.
  void ReplaceInput(Node* dst, int dst_index, Endpoint src);
  void RenameNode(Node* node, std::string name);

  // nullptr when there is none.
  Node* FindNode(std::string_view name) const;
  // A name that no node has: `prefix`, or `prefix_<n>`.
  std::string UniqueName(std::string_view prefix);

  // Live nodes in order of addition.
  std::vector<Node*> nodes() const;
  int num_nodes() const { return num_nodes_; }
  // Exclusive bound of node ids; removed nodes leave gaps, for which node_by_id gives nullptr.
  int num_node_ids() const { return static_cast<int>(nodes_.size()); }
  Node* node_by_id(int id) const { return nodes_[static_cast<size_t>(id)].get(); }
  int num_edge_ids() const { return static_cast<int>(edges_.size()); }

  const FunctionLibraryRef& library() const { return library_; }
  // Nodes that call a function take its signature from the new library where it has it.
  void set_library(FunctionLibraryRef library);

  const Versions& versions() const { return versions_; }
  void set_versions(Versions versions) { versions_ = std::move(versions); }

 private:
  friend class Node;
  int InternDevice(std::string_view device);
  Edge* NewEdge(Node* src, int src_index, Node* dst, int dst_index);

  const op::OpRegistry& ops_;
  FunctionLibraryRef library_;
  // Earlier libraries that some node's signature may still lie in.
  std::vector<FunctionLibraryRef> retained_libraries_;
  bool has_function_nodes_ = false;
  Versions versions_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::deque<Edge> edges_;  // by id; a removed one has no ends
  int num_nodes_ = 0;
  StringViewMap<Node*> by_name_;  // keys live in the nodes
  StringMap<int> name_counters_;
  std::vector<std::unique_ptr<const std::string>> devices_;
  StringViewMap<int> device_index_;
};

}  // namespace rheo::graph

#endif  // RHEO_GRAPH_GRAPH_H_
