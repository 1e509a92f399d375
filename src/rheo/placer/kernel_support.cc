#include "rheo/placer/kernel_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "rheo/placer/differ.h"

namespace rheo::placer {
namespace {

// True when no device of `spec` can lie on the task.
bool NamesOtherTask(const device::DeviceName& spec, const device::DeviceName& task) {
  return Differ(spec.job, task.job) || Differ(spec.replica, task.replica) ||
         Differ(spec.task, task.task);
}

}  // namespace

KernelSupport::KernelSupport(const Request& request) {
  if (auto master = device::DeviceName::Parse(request.master_task); master.ok()) master_ = *master;
  absl::flat_hash_set<const op::KernelCatalog*> indexed;
  master_catalog_ = request.catalog(request.master_task);
  if (indexed.insert(master_catalog_).second) IndexAttrs(*master_catalog_);
  for (const device::DeviceInfo& info : request.devices) {
    const auto name = device::DeviceName::Parse(info.name);
    const std::string task = name.ok() ? name->TaskPart().ToString() : request.master_task;
    const op::KernelCatalog* catalog = request.catalog(task);
    if (indexed.insert(catalog).second) IndexAttrs(*catalog);
    kind_of_device_.push_back(AddKind({.catalog = catalog, .type = info.type}));
  }
}

size_t KernelSupport::AddKind(Kind kind) {
  const auto it = std::find(kinds_.begin(), kinds_.end(), kind);
  if (it != kinds_.end()) return static_cast<size_t>(it - kinds_.begin());
  kinds_.push_back(std::move(kind));
  return kinds_.size() - 1;
}

void KernelSupport::IndexAttrs(const op::KernelCatalog& catalog) {
  for (const op::KernelRow* row : catalog.All()) {
    std::vector<std::string>& attrs = deciding_attrs_[row->op];
    auto add = [&attrs](const std::string& attr) {
      if (std::find(attrs.begin(), attrs.end(), attr) == attrs.end()) attrs.push_back(attr);
    };
    for (const op::AttrConstraint& constraint : row->constraints) add(constraint.attr);
    if (!row->label.empty()) add("_kernel");
  }
}

SupportId KernelSupport::Intern(const Set& set) {
  const auto [it, added] = ids_.try_emplace(set, static_cast<SupportId>(sets_.size()));
  if (added) sets_.push_back(&it->first);
  return it->second;
}

std::string KernelSupport::Signature(const graph::Node& node) const {
  std::string signature = node.op();
  const op::AttrMap& attrs = node.attrs();
  if (const auto it = deciding_attrs_.find(node.op()); it != deciding_attrs_.end()) {
    for (const std::string& name : it->second) {
      const op::AttrValue* value = attrs.Find(name);
      signature += '|';
      if (value == nullptr) continue;
      if (const DType* type = value->As<DType>()) {
        signature += static_cast<char>(*type);
      } else {
        signature += value->ToString();
      }
    }
  }
  // A label that no kernel has must not fit those without one.
  if (const op::AttrValue* label = attrs.Find("_kernel")) signature += "|" + label->ToString();
  return signature;
}

KernelSupport::Set KernelSupport::Lookup(const graph::Node& node) const {
  Set set(kinds_.size(), kUnsupported);
  for (size_t k = 0; k < kinds_.size(); ++k) {
    const op::KernelRow* row = kinds_[k].catalog->Find(node.op(), kinds_[k].type, node.attrs());
    if (row != nullptr) set[k] = row->priority;
  }
  return set;
}

SupportId KernelSupport::ForNode(const graph::Node& node, const device::DeviceName& requested,
                                 bool is_function_call) {
  if (is_function_call) return Intern(Set(kinds_.size(), 0));
  const std::string signature = Signature(node);
  auto it = by_signature_.find(signature);
  if (it == by_signature_.end()) {
    it = by_signature_.emplace(signature, Intern(Lookup(node))).first;
  }
  if (!empty(it->second) || master_catalog_->HasOp(node.op())) return it->second;
  if (!NamesOtherTask(requested, master_)) return it->second;
  Set trusted(kinds_.size(), 0);
  for (size_t k = 0; requested.type && k < kinds_.size(); ++k) {
    if (kinds_[k].type != *requested.type) trusted[k] = kUnsupported;
  }
  return Intern(trusted);
}

namespace {

// True when the set prefers one of its kinds.
bool Ranks(const std::vector<int>& set, int unsupported) {
  std::optional<int> first;
  for (const int priority : set) {
    if (priority == unsupported) continue;
    if (first && *first != priority) return true;
    first = priority;
  }
  return false;
}

}  // namespace

SupportId KernelSupport::Intersect(SupportId a, SupportId b) {
  if (a == b) return a;
  if (const auto it = intersections_.find({a, b}); it != intersections_.end()) return it->second;
  Set left = Get(a);
  Set right = Get(b);
  for (size_t k = 0; k < left.size(); ++k) {
    if (left[k] == kUnsupported || right[k] == kUnsupported) left[k] = right[k] = kUnsupported;
  }
  const bool left_ranks = Ranks(left, kUnsupported);
  const bool right_ranks = Ranks(right, kUnsupported);
  if (right_ranks && !left_ranks) left = right;
  if (left_ranks && right_ranks && left != right) {
    for (int& priority : left) priority = priority == kUnsupported ? kUnsupported : 0;
  }
  const SupportId id = Intern(left);
  intersections_[{a, b}] = id;
  return id;
}

bool KernelSupport::empty(SupportId set) const {
  const Set& priorities = Get(set);
  return std::all_of(priorities.begin(), priorities.end(),
                     [](int priority) { return priority == kUnsupported; });
}

bool KernelSupport::Includes(SupportId set, size_t device) const {
  return Get(set)[kind_of_device_[device]] != kUnsupported;
}

int KernelSupport::Priority(SupportId set, size_t device) const {
  return Get(set)[kind_of_device_[device]];
}

std::string KernelSupport::Types(SupportId set) const {
  std::vector<std::string> types;
  for (size_t k = 0; k < kinds_.size(); ++k) {
    if (Get(set)[k] != kUnsupported) types.push_back(kinds_[k].type);
  }
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
  return fmt::format("{}", fmt::join(types, ", "));
}

SupportId KernelSupport::OnlyType(SupportId set, std::string_view type) {
  Set kept = Get(set);
  for (size_t k = 0; k < kinds_.size(); ++k) {
    if (kinds_[k].type != type) kept[k] = kUnsupported;
  }
  return Intern(kept);
}

std::string KernelSupport::Describe(std::string_view op) const {
  return master_catalog_->Describe(op);
}

}  // namespace rheo::placer
