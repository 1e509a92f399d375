#include "rheo/placer/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace rheo::placer {
namespace {

using graph::Graph;
using graph::Node;

constexpr std::string_view kClassAttr = "_class";
constexpr std::string_view kClassPrefix = "loc:@";

bool Contains(std::initializer_list<std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Calls whose bodies are placed on their own: their resource arguments may lie elsewhere.
bool IsFunctionCall(const Graph& graph, const Node& node) {
  return Contains({"PartitionedCall", "StatefulPartitionedCall", "TPUPartitionedCall", "RemoteCall",
                   "SymbolicGradient", "If", "StatelessIf", "_If", "While", "StatelessWhile",
                   "_While", "Case", "StatelessCase", "For", "Foreach"},
                  node.op()) ||
         graph.library()->Find(node.op()) != nullptr;
}

// True when a resource or reference input does not bind the node to its maker.
bool IsExempt(const Graph& graph, const Node& node) {
  return node.op() == "IdentityN" || IsFunctionCall(graph, node);
}

// No inputs, and one output that is a resource or a reference.
bool MakesResource(const Node& node) {
  if (node.num_inputs() != 0 || node.num_outputs() != 1) return false;
  return IsRef(node.output_types()[0]) || node.output_types()[0] == DType::kResource;
}

// "…Dataset" or "…DatasetV<n>" with one output.
bool IsDatasetOp(const Node& node) {
  if (node.num_outputs() != 1 || node.output_types()[0] != DType::kVariant) return false;
  std::string_view op = node.op();
  while (!op.empty() && std::isdigit(static_cast<unsigned char>(op.back()))) op.remove_suffix(1);
  if (op.size() < node.op().size()) {
    if (!op.ends_with('V')) return false;
    op.remove_suffix(1);
  }
  return op.ends_with("Dataset") || op == "DatasetFromGraph";
}

// A list whose elements live in host memory only.
bool HoldsHostOnlyList(const Node& node) {
  if (!node.op().starts_with("TensorList") && node.op() != "EmptyTensorList") return false;
  const op::AttrValue* element = node.attrs().Find("element_dtype");
  const DType* type = element == nullptr ? nullptr : element->As<DType>();
  return type != nullptr && (*type == DType::kString || *type == DType::kResource);
}

// Appends where the error arose: plainly when the text has a marked node name already.
Status AtNode(const Status& status, const Node& node) {
  const bool marked = Message(status).find("{{node ") != std::string_view::npos;
  return Append(
      status,
      fmt::format(fmt::runtime(marked ? "\n\t [[{}]]" : "\n\t [[{{{{node {}}}}}]]"), node.name()));
}

std::string AttrsText(const Node& node) {
  std::string text;
  for (const auto& [name, value] : node.attrs()) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value.ToString());
  }
  return text;
}

}  // namespace

Groups::Groups(const Request& request, const Graph& graph, SpecTable& specs, KernelSupport& support)
    : request_(request), graph_(graph), specs_(specs), support_(support) {
  const auto count = static_cast<size_t>(graph.num_node_ids());
  parents_.assign(count, -1);
  ranks_.assign(count, 0);
  next_.assign(count, -1);
  groups_.resize(count);
}

Status Groups::Build() {
  for (const Node* node : graph_.nodes()) {
    if (Status status = AddNode(*node); !status.ok()) return AtNode(status, *node);
  }
  RHEO_RETURN_IF_ERROR(JoinEdges());
  return JoinClasses();
}

int Groups::Root(int id) {
  auto parent = [this](int i) -> int& { return parents_[static_cast<size_t>(i)]; };
  while (parent(id) != id) id = parent(id) = parent(parent(id));
  return id;
}

Status Groups::AddNode(const Node& node) {
  const auto id = static_cast<size_t>(node.id());
  parents_[id] = next_[id] = node.id();
  Group& group = groups_[id];
  RHEO_ASSIGN_OR_RETURN(const SpecId requested, specs_.Parse(node.requested_device()));
  group.support = support_.ForNode(node, specs_.Get(requested), IsFunctionCall(graph_, node));
  if (HoldsHostOnlyList(node)) group.support = support_.OnlyType(group.support, "CPU");
  if (!node.assigned_device().empty()) {
    RHEO_ASSIGN_OR_RETURN(group.assigned, specs_.Parse(node.assigned_device()));
    group.requested = group.assigned;
    group.binder = &node;
    return OkStatus();
  }
  if (support_.empty(group.support)) return NoKernel(node, specs_.Get(requested));
  if (requested == kAnyDevice) return OkStatus();
  group.requested = requested;
  group.binder = &node;
  if (MakesResource(node)) group.resource = requested;
  return OkStatus();
}

Status Groups::NoKernel(const Node& node, const device::DeviceName& requested) const {
  std::set<std::string> types;
  for (const device::DeviceInfo& info : request_.devices) types.insert(info.type);
  return InvalidArgument(
      "No OpKernel was registered to support Op '{}' used by {{{{node {}}}}} with these attrs: "
      "[{}]\n"
      "Registered devices: [{}]\nRegistered kernels:\n  {}\n",
      node.op(), node.name(), AttrsText(node), fmt::join(types, ", "),
      support_.Describe(node.op()));
}

Status Groups::JoinEdges() {
  for (const Node* dst : graph_.nodes()) {
    for (int i = 0; i < dst->num_inputs(); ++i) {
      const Node* src = dst->input(i).node;
      if (src == nullptr) continue;
      const DType type = dst->input_types()[static_cast<size_t>(i)];
      const bool datasets = type == DType::kVariant && IsDatasetOp(*src) && IsDatasetOp(*dst);
      const bool binds = IsRef(type) || type == DType::kResource;
      if (!datasets && (!binds || IsExempt(graph_, *dst))) continue;
      RHEO_RETURN_IF_ERROR(JoinOverEdge(*src, *dst));
    }
  }
  return OkStatus();
}

// A maker's request wins over the consumer's; two makers must agree.
Status Groups::JoinOverEdge(const Node& src, const Node& dst) {
  const Group& from = Get(Find(src));
  Group& to = Get(Find(dst));
  auto incompatible = [&](std::string_view what, SpecId a, SpecId b) {
    return InvalidArgument(
        "Cannot place the graph because a reference or resource edge connects colocation groups "
        "with "
        "incompatible {} devices: {} vs {}. The edge src node is name='{}' (op='{}'), and the dst "
        "node is name='{}' (op='{}').",
        what, specs_.ToString(a), specs_.ToString(b), src.name(), src.op(), dst.name(), dst.op());
  };
  if (!specs_.Compatible(from.assigned, to.assigned)) {
    return incompatible("assigned", from.assigned, to.assigned);
  }
  if (!specs_.Compatible(from.resource, to.resource)) {
    return incompatible("resource", from.resource, to.resource);
  }
  if (!specs_.Compatible(from.requested, to.requested)) {
    to.requested = specs_.Override(specs_.Override(from.requested, to.assigned), to.resource);
    to.binder = from.binder;
  }
  Status joined = Join(src, dst);
  if (joined.ok()) return joined;
  return AtNode(Prefix(joined,
                       "A reference or resource edge requires its two nodes to be on one "
                       "device, but they ask for different ones: "),
                dst);
}

Status Groups::JoinClasses() {
  for (const Node* node : graph_.nodes()) {
    if (const op::AttrValue* classes = node->attrs().Find(kClassAttr)) {
      if (const op::AttrList* list = classes->list()) {
        for (const std::string& entry : list->strings) {
          if (!std::string_view(entry).starts_with(kClassPrefix)) continue;
          const auto label = std::string_view(entry).substr(kClassPrefix.size());
          RHEO_RETURN_IF_ERROR(JoinClass(*node, label));
        }
      }
    }
    RHEO_RETURN_IF_ERROR(JoinClass(*node, node->name()));
  }
  return OkStatus();
}

// Every node has the label of its name; the first with a label stands for the others.
Status Groups::JoinClass(const Node& node, std::string_view label) {
  const auto [it, added] = class_roots_.try_emplace(label, &node);
  if (added || it->second == &node) return OkStatus();
  const Status status = Join(node, *it->second);
  if (status.ok() || request_.allow_soft_placement) return OkStatus();
  return AtNode(status, node);
}

Status Groups::Join(const Node& x, const Node& y) {
  int winner = Find(x);
  int loser = Find(y);
  if (winner == loser) return OkStatus();
  auto rank = [this](int root) { return ranks_[static_cast<size_t>(root)]; };
  if (rank(winner) < rank(loser)) std::swap(winner, loser);
  const SupportId support = support_.Intersect(Get(winner).support, Get(loser).support);
  Group merged = Get(winner);
  if (Status status = MergeRequests(merged, Get(loser)); !status.ok()) {
    return InvalidArgument(
        "Cannot colocate nodes {{{{colocation_node {}}}}} and {{{{colocation_node {}}}}}: {}",
        x.name(), y.name(), Message(status));
  }
  if (support_.empty(support)) {
    return InvalidArgument(
        "Cannot colocate nodes {{{{colocation_node {}}}}} and {{{{colocation_node {}}}}} because "
        "no device "
        "type supports them and all nodes colocated with them.{}{}",
        x.name(), y.name(), Describe(winner), Describe(loser));
  }
  merged.support = support;
  Get(winner) = merged;
  Link(winner, loser);
  return OkStatus();
}

void Groups::Link(int winner, int loser) {
  const auto w = static_cast<size_t>(winner);
  const auto l = static_cast<size_t>(loser);
  parents_[l] = winner;
  if (ranks_[w] == ranks_[l]) ++ranks_[w];
  std::swap(next_[w], next_[l]);
}

Status Groups::MergeRequests(Group& into, const Group& other) {
  const Conflict conflict =
      request_.allow_soft_placement ? Conflict::kClearsDevice : Conflict::kFails;
  RHEO_ASSIGN_OR_RETURN(into.assigned,
                        specs_.Merge(into.assigned, other.assigned, Conflict::kFails));
  RHEO_ASSIGN_OR_RETURN(into.resource,
                        specs_.Merge(into.resource, other.resource, Conflict::kFails));
  RHEO_ASSIGN_OR_RETURN(const SpecId both, specs_.Merge(into.requested, other.requested, conflict));
  into.requested = specs_.Override(specs_.Override(both, into.assigned), into.resource);
  if (into.binder == nullptr) into.binder = other.binder;
  return OkStatus();
}

Status Groups::Fix(const Node& node, std::string_view device) {
  Group& group = Get(Find(node));
  RHEO_ASSIGN_OR_RETURN(const SpecId spec, specs_.Parse(device));
  if (group.assigned == spec) return OkStatus();
  auto assigned = specs_.Merge(group.assigned, spec, Conflict::kFails);
  if (!assigned.ok()) {
    return Internal("node '{}' is placed on {} but its group is on {}", node.name(), device,
                    specs_.ToString(group.assigned));
  }
  group.assigned = *assigned;
  group.requested = specs_.Override(group.requested, spec);
  if (group.resource != kAnyDevice) group.resource = specs_.Override(group.resource, spec);
  return OkStatus();
}

std::string Groups::Describe(int group) {
  constexpr int kMostListed = 50;
  std::string text = "\nGroup of nodes that must share a device:\n";
  int listed = 0;
  int id = group;
  do {
    const Node& node = *graph_.node_by_id(id);
    if (++listed <= kMostListed) {
      const auto requested = specs_.Parse(node.requested_device());
      const SupportId support = support_.ForNode(
          node, specs_.Get(requested.ok() ? *requested : kAnyDevice), IsFunctionCall(graph_, node));
      text += fmt::format("  {} ({}) requested '{}', supported on [{}]\n", node.name(), node.op(),
                          node.requested_device(), support_.Types(support));
    }
    id = next_[static_cast<size_t>(id)];
  } while (id != group);
  if (listed > kMostListed) text += fmt::format("  … and {} more\n", listed - kMostListed);
  return text;
}

}  // namespace rheo::placer
