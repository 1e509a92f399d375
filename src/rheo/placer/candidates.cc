#include "rheo/placer/candidates.h"

#include <fmt/format.h>

#include <algorithm>

namespace rheo::placer {
namespace {

using device::DeviceName;
using graph::Node;

// Accelerators come before the CPU.
int TypeOrder(std::string_view type) { return type == "CPU" ? 0 : type == "GPU" ? 2 : 1; }

}  // namespace

Candidates::Candidates(const Request& request, SpecTable& specs, KernelSupport& support)
    : request_(request), specs_(specs), support_(support) {
  const DeviceName master = DeviceName::Parse(request.master_task).value_or(DeviceName());
  for (size_t i = 0; i < request.devices.size(); ++i) {
    names_.push_back(DeviceName::Parse(request.devices[i].name).value_or(DeviceName()));
    is_master_.push_back(names_.back().SameTask(master));
    index_.emplace(request.devices[i].name, i);
  }
}

StatusOr<const Candidates::List*> Candidates::ForNode(const Node& node, Groups& groups) {
  const int id = groups.Find(node);
  const Group& group = groups.Get(id);
  const List& best = Best(group);
  if (!best.empty()) return &best;
  return None(node, group, groups.Describe(id));
}

const Candidates::List& Candidates::Best(const Group& group) {
  const List& strict = Supported(group.requested, group.support);
  if (!strict.empty() || !request_.allow_soft_placement) return strict;
  // Type and id may go, first those that no maker of a resource asked for.
  const SpecId task = specs_.Intern(specs_.Get(group.requested).TaskPart());
  const SpecId fixed = specs_.Override(task, group.assigned);
  const List& kept = Supported(specs_.Override(fixed, group.resource), group.support);
  return kept.empty() ? Supported(fixed, group.support) : kept;
}

const Candidates::List& Candidates::Supported(SpecId spec, SupportId support) {
  std::unique_ptr<List>& list = lists_[{spec, support}];
  if (list != nullptr) return *list;
  list = std::make_unique<List>();
  const DeviceName& wanted = specs_.Get(spec);
  for (size_t i = 0; i < names_.size(); ++i) {
    if (wanted.Covers(names_[i]) && support_.Includes(support, i)) list->push_back(i);
  }
  std::sort(list->begin(), list->end(), [&](size_t a, size_t b) { return Before(support, a, b); });
  return *list;
}

bool Candidates::Before(SupportId support, size_t a, size_t b) const {
  const int priority_a = support_.Priority(support, a);
  const int priority_b = support_.Priority(support, b);
  if (priority_a != priority_b) return priority_a > priority_b;
  const int type_a = TypeOrder(request_.devices[a].type);
  const int type_b = TypeOrder(request_.devices[b].type);
  if (type_a != type_b) return type_a > type_b;
  if (is_master_[a] != is_master_[b]) return is_master_[a];
  return request_.devices[a].name < request_.devices[b].name;
}

bool Candidates::Includes(const List& list, std::string_view device) const {
  const auto it = index_.find(device);
  return it != index_.end() && std::find(list.begin(), list.end(), it->second) != list.end();
}

bool Candidates::AnyMatches(const DeviceName& spec) const {
  return std::any_of(names_.begin(), names_.end(),
                     [&](const DeviceName& name) { return spec.Covers(name); });
}

std::string Candidates::AllNames() const {
  std::vector<std::string> names;
  for (const device::DeviceInfo& info : request_.devices) names.push_back(info.name);
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, ", "));
}

Status Candidates::None(const Node& node, const Group& group, std::string_view description) {
  const std::string subject = fmt::format("Cannot assign a device for operation {}: ", node.name());
  const auto own = specs_.Parse(node.requested_device());
  const DeviceName& wanted = specs_.Get(group.requested);
  if (!own.ok() || *own != group.requested) {
    return InvalidArgument(
        "{}Could not satisfy explicit device specification '{}' because the node "
        "{{{{colocation_node {}}}}} "
        "was colocated with a group of nodes that required incompatible device '{}'. All available "
        "devices [{}]. {}\n\t [[{{{{node {}}}}}]]",
        subject, node.requested_device(), node.name(), wanted.ToString(), AllNames(), description,
        node.name());
  }
  if (!AnyMatches(wanted)) {
    const bool gpu = wanted.type && *wanted.type == "GPU";
    std::string why = request_.why_missing == nullptr ? "" : request_.why_missing(wanted);
    if (!why.empty()) why = fmt::format(" {}.", why);
    return InvalidArgument(
        "{}{{{{node {}}}}} was explicitly assigned to {} but available devices are [ {} ]. Make "
        "sure the "
        "device specification refers to a valid device.{}{}\n\t [[{}]]",
        subject, node.name(), node.requested_device(), AllNames(), why,
        gpu ? " The requested device appears to be a GPU, but no task of the session has one." : "",
        node.name());
  }
  const std::string device =
      wanted.type ? fmt::format("{} devices", *wanted.type) : std::string("its devices");
  return InvalidArgument(
      "{}Could not satisfy explicit device specification '{}' because no supported kernel for {} "
      "is "
      "available.{}Op: {}\nRegistered kernels:\n  {}\n\t [[{{{{node {}}}}}]]",
      subject, node.requested_device(), device, description, node.op(),
      support_.Describe(node.op()), node.name());
}

}  // namespace rheo::placer
