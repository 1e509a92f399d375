// EliminateCommonSubexpressions: one hash lookup per node in topological order, so that inputs are
// already merged when their consumers are compared.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "rheo/graph/traversal.h"
#include "rheo/passes/passes.h"
#include "rheo/passes/simplifiable.h"

namespace rheo::passes {
namespace {

using graph::Edge;
using graph::Graph;
using graph::Node;

// Of a tensor only type, shape and the first bytes: equal tensors agree in them, and a large
// constant costs no more than a small one.
size_t HashTensor(const Tensor& tensor) {
  const size_t shape = absl::HashOf(static_cast<int>(tensor.dtype()), tensor.num_elements());
  if (!IsPlainData(tensor.dtype())) return shape;
  const std::span<const char> bytes = tensor.bytes();
  return absl::HashOf(shape, std::string_view(bytes.data(), std::min<size_t>(bytes.size(), 64)));
}

size_t HashAttr(const op::AttrValue& value) {
  if (const Tensor* tensor = value.As<Tensor>()) return HashTensor(*tensor);
  if (const auto* text = value.As<std::string>()) return absl::HashOf(*text);
  if (const auto* number = value.As<int64_t>()) return absl::HashOf(*number);
  if (const auto* flag = value.As<bool>()) return absl::HashOf(*flag);
  if (const auto* type = value.As<DType>()) return absl::HashOf(static_cast<int>(*type));
  return value.storage().index();  // rare kinds are told apart by the comparison
}

std::vector<int> ControlSources(const Node& node) {
  std::vector<int> ids;
  for (const Edge* edge : node.control_in_edges()) ids.push_back(edge->src->id());
  std::ranges::sort(ids);
  return ids;
}

// Where the node runs; before placement, where it asks to.
const std::string& Device(const Node& node) {
  return node.assigned_device().empty() ? node.requested_device() : node.assigned_device();
}

size_t HashNode(const Node& node) {
  size_t hash = absl::HashOf(&node.schema(), Device(node));
  for (const auto& [name, value] : node.attrs()) hash = absl::HashOf(hash, name, HashAttr(value));
  for (int i = 0; i < node.num_inputs(); ++i) {
    hash = absl::HashOf(hash, node.input(i).node, node.input(i).index);
  }
  return absl::HashOf(hash, ControlSources(node));
}

bool AreEqual(const Node& a, const Node& b) {
  if (&a.schema() != &b.schema() || a.num_inputs() != b.num_inputs()) return false;
  if (Device(a) != Device(b)) return false;
  for (int i = 0; i < a.num_inputs(); ++i) {
    if (!(a.input(i) == b.input(i))) return false;
  }
  return ControlSources(a) == ControlSources(b) && a.attrs() == b.attrs();
}

// Lets what depends on `copy` depend on `original`, and removes `copy`.
void Merge(Graph& graph, Node* original, Node* copy) {
  const graph::EdgeList edges = copy->out_edges();
  for (const Edge* edge : edges) {
    if (edge->is_control()) {
      graph.AddControlEdge(original, edge->dst);
    } else {
      graph.ReplaceInput(edge->dst, edge->dst_index, {original, edge->src_index});
    }
  }
  graph.RemoveNode(copy);
}

}  // namespace

Status EliminateCommonSubexpressions(graph::Graph& graph) {
  RHEO_ASSIGN_OR_RETURN(const std::vector<Node*> order, graph::TopologicalOrder(graph));
  // Several unequal nodes may share a hash; the later ones are then simply not merged.
  absl::flat_hash_map<size_t, Node*> seen;
  seen.reserve(order.size());
  for (Node* node : order) {
    if (node->num_outputs() == 0 || !IsPure(*node)) continue;
    const auto [it, is_new] = seen.try_emplace(HashNode(*node), node);
    if (!is_new && AreEqual(*it->second, *node)) Merge(graph, it->second, node);
  }
  return OkStatus();
}

}  // namespace rheo::passes
