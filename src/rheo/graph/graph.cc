#include "rheo/graph/graph.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace rheo::graph {
namespace {

std::string HostName() {
  std::array<char, 256> buffer{};
  return gethostname(buffer.data(), buffer.size() - 1) == 0 ? buffer.data() : "unknown";
}

// Takes the element at `position` out of an unordered list; gives the one that moved there.
const Edge* TakeOut(EdgeList& edges, size_t position) {
  edges[position] = edges.back();
  edges.pop_back();
  return position < edges.size() ? edges[position] : nullptr;
}

std::string EndpointText(const Endpoint& endpoint) {
  return fmt::format("{}:{}", endpoint.node->name(), endpoint.index);
}

}  // namespace

const std::string& Node::assigned_device() const {
  return *graph_->devices_[static_cast<size_t>(assigned_device_)];
}

void Node::set_assigned_device(std::string_view device) {
  assigned_device_ = graph_->InternDevice(device);
}

EdgeList Node::in_edges() const {
  EdgeList edges;
  edges.reserve(inputs_.size() + control_inputs_.size());
  for (const Edge* edge : inputs_) {
    if (edge != nullptr) edges.push_back(edge);
  }
  edges.insert(edges.end(), control_inputs_.begin(), control_inputs_.end());
  return edges;
}

Graph::Graph(const op::OpRegistry& ops)
    : ops_(ops), library_(std::make_shared<FunctionIndex>(FunctionLibrary())) {
  InternDevice("");
}

Graph::~Graph() = default;

std::unique_ptr<Graph> Graph::Clone() const {
  auto copy = std::make_unique<Graph>(ops_);
  copy->library_ = library_;
  copy->retained_libraries_ = retained_libraries_;
  copy->has_function_nodes_ = has_function_nodes_;
  copy->versions_ = versions_;
  copy->name_counters_ = name_counters_;
  copy->num_nodes_ = num_nodes_;
  for (const auto& device : devices_) copy->InternDevice(*device);

  copy->nodes_.resize(nodes_.size());
  copy->by_name_.reserve(by_name_.size());
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i] == nullptr) continue;
    copy->nodes_[i].reset(new Node(*nodes_[i]));
    Node* node = copy->nodes_[i].get();
    node->graph_ = copy.get();
    copy->by_name_.emplace(node->name_, node);
  }
  copy->edges_ = edges_;
  for (Edge& edge : copy->edges_) {
    if (edge.src == nullptr) continue;
    edge.src = copy->node_by_id(edge.src->id());
    edge.dst = copy->node_by_id(edge.dst->id());
  }
  const auto translate = [&](EdgeList& edges) {
    for (const Edge*& edge : edges) {
      if (edge != nullptr) edge = &copy->edges_[static_cast<size_t>(edge->id)];
    }
  };
  for (const auto& node : copy->nodes_) {
    if (node == nullptr) continue;
    translate(node->inputs_);
    translate(node->control_inputs_);
    translate(node->outputs_);
  }
  return copy;
}

const op::OpSchema* Graph::FindOp(std::string_view op) const {
  if (const op::OpSchema* schema = ops_.Find(op)) return schema;
  const FunctionDef* function = library_->Find(op);
  return function == nullptr ? nullptr : &function->signature;
}

StatusOr<Node*> Graph::AddNode(NodeSpec spec) {
  const op::OpSchema* schema = ops_.Find(spec.op);
  const bool is_function = schema == nullptr;
  if (is_function) schema = FindOp(spec.op);
  if (schema == nullptr) {
    return NotFound(
        "Op type not registered '{}' in binary running on {}. Make sure that the server knows the "
        "op; node: {{{{node {}}}}}",
        spec.op, HostName(), spec.name);
  }
  if (spec.name.empty()) return InvalidArgument("Illegal op name '' (op {})", spec.op);
  if (by_name_.contains(spec.name)) return InvalidArgument("Node '{}' is not unique", spec.name);
  op::AddDefaultAttrs(*schema, spec.attrs);
  StatusOr<op::NodeTypes> types = op::ResolveTypes(*schema, spec.attrs);
  if (!types.ok()) return Append(types.status(), fmt::format(": {{{{node {}}}}}", spec.name));

  std::unique_ptr<Node> node(new Node);
  node->graph_ = this;
  node->id_ = num_node_ids();
  node->name_ = std::move(spec.name);
  node->schema_ = schema;
  node->attrs_ = std::move(spec.attrs);
  node->types_ = *std::move(types);
  node->requested_device_ = std::move(spec.device);
  node->inputs_.resize(node->types_.inputs.size());
  node->extra_ = std::move(spec.extra);
  has_function_nodes_ |= is_function;
  by_name_.emplace(node->name_, node.get());
  nodes_.push_back(std::move(node));
  ++num_nodes_;
  return nodes_.back().get();
}

Edge* Graph::NewEdge(Node* src, int src_index, Node* dst, int dst_index) {
  const int id = num_edge_ids();
  Edge& edge = edges_.emplace_back();
  edge.src = src;
  edge.dst = dst;
  edge.src_index = src_index;
  edge.dst_index = dst_index;
  edge.id = id;
  edge.out_position_ = static_cast<uint32_t>(src->outputs_.size());
  src->outputs_.push_back(&edge);
  return &edge;
}

const Edge* Graph::AddEdge(Endpoint src, Node* dst, int dst_index) {
  const Edge* edge = NewEdge(src.node, src.index, dst, dst_index);
  dst->inputs_[static_cast<size_t>(dst_index)] = edge;
  return edge;
}

Status Graph::CheckedAddEdge(Endpoint src, Node* dst, int dst_index) {
  if (src.index < 0 || src.index >= src.node->num_outputs()) {
    return InvalidArgument(
        "Node '{}': Connecting to invalid output {} of source node {} which has {} outputs.",
        dst->name(), src.index, src.node->name(), src.node->num_outputs());
  }
  if (dst_index < 0 || dst_index >= dst->num_inputs()) {
    return InvalidArgument("Input {} of node {} does not exist. Node only has {} inputs.",
                           dst_index, dst->name(), dst->num_inputs());
  }
  if (const Edge* present = dst->input_edge(dst_index)) {
    return InvalidArgument("Input {} of node {} is connected to {} already.", dst_index,
                           dst->name(), EndpointText({present->src, present->src_index}));
  }
  const DType given = src.node->output_types()[static_cast<size_t>(src.index)];
  const DType expected = dst->input_types()[static_cast<size_t>(dst_index)];
  // A reference may be read as a value, never the other way round.
  if (given != expected && RemoveRef(given) != expected) {
    return InvalidArgument(
        "Input {} of node {} was passed {} from {} incompatible with expected {}.", dst_index,
        dst->name(), DTypeName(given), EndpointText(src), DTypeName(expected));
  }
  AddEdge(src, dst, dst_index);
  return OkStatus();
}

const Edge* Graph::AddControlEdge(Node* src, Node* dst) {
  // Look where fewer edges are.
  if (src->outputs_.size() < dst->control_inputs_.size()) {
    for (const Edge* edge : src->outputs_) {
      if (edge->is_control() && edge->dst == dst) return edge;
    }
  } else {
    for (const Edge* edge : dst->control_inputs_) {
      if (edge->src == src) return edge;
    }
  }
  Edge* edge = NewEdge(src, kControlSlot, dst, kControlSlot);
  edge->control_position_ = static_cast<uint32_t>(dst->control_inputs_.size());
  dst->control_inputs_.push_back(edge);
  return edge;
}

void Graph::RemoveEdge(const Edge* edge) {
  const auto mutable_edge = [this](const Edge* e) { return &edges_[static_cast<size_t>(e->id)]; };
  if (const Edge* moved = TakeOut(edge->src->outputs_, edge->out_position_)) {
    mutable_edge(moved)->out_position_ = edge->out_position_;
  }
  if (!edge->is_control()) {
    edge->dst->inputs_[static_cast<size_t>(edge->dst_index)] = nullptr;
  } else if (const Edge* moved = TakeOut(edge->dst->control_inputs_, edge->control_position_)) {
    mutable_edge(moved)->control_position_ = edge->control_position_;
  }
  Edge* removed = mutable_edge(edge);
  removed->src = removed->dst = nullptr;
}

void Graph::RemoveNode(Node* node) {
  for (const Edge* edge : node->in_edges()) RemoveEdge(edge);
  while (!node->outputs_.empty()) RemoveEdge(node->outputs_.back());
  by_name_.erase(node->name_);
  --num_nodes_;
  nodes_[static_cast<size_t>(node->id_)].reset();
}

void Graph::ReplaceInput(Node* dst, int dst_index, Endpoint src) {
  if (const Edge* present = dst->input_edge(dst_index)) RemoveEdge(present);
  AddEdge(src, dst, dst_index);
}

void Graph::RenameNode(Node* node, std::string name) {
  by_name_.erase(node->name_);
  node->name_ = std::move(name);
  by_name_.emplace(node->name_, node);
}

Node* Graph::FindNode(std::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

std::string Graph::UniqueName(std::string_view prefix) {
  if (!by_name_.contains(prefix)) return std::string(prefix);
  int& counter = name_counters_[std::string(prefix)];
  std::string name;
  do {
    name = fmt::format("{}_{}", prefix, ++counter);
  } while (by_name_.contains(name));
  return name;
}

std::vector<Node*> Graph::nodes() const {
  std::vector<Node*> live;
  live.reserve(static_cast<size_t>(num_nodes_));
  for (const auto& node : nodes_) {
    if (node != nullptr) live.push_back(node.get());
  }
  return live;
}

void Graph::set_library(FunctionLibraryRef library) {
  const FunctionLibraryRef old = std::exchange(library_, std::move(library));
  if (!has_function_nodes_) return;
  bool old_in_use = false;
  for (const auto& node : nodes_) {
    if (node == nullptr || ops_.Find(node->op()) == node->schema_) continue;
    const FunctionDef* function = library_->Find(node->op());
    if (function != nullptr) {
      node->schema_ = &function->signature;
    } else {
      old_in_use = true;
    }
  }
  if (old_in_use) retained_libraries_.push_back(old);
}

int Graph::InternDevice(std::string_view device) {
  const auto it = device_index_.find(device);
  if (it != device_index_.end()) return it->second;
  const int index = static_cast<int>(devices_.size());
  devices_.push_back(std::make_unique<const std::string>(device));
  device_index_.emplace(*devices_.back(), index);
  return index;
}

}  // namespace rheo::graph
