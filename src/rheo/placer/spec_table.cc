#include "rheo/placer/spec_table.h"

#include <memory>
#include <optional>

#include "rheo/placer/differ.h"

namespace rheo::placer {
namespace {

using device::DeviceName;

Status Incompatible(std::string_view parts, const DeviceName& a, const DeviceName& b) {
  return InvalidArgument("Cannot merge devices with incompatible {}: '{}' and '{}'", parts,
                         a.ToString(), b.ToString());
}

// Parts of the task must agree in any case.
Status CheckTasks(const DeviceName& a, const DeviceName& b) {
  if (Differ(a.job, b.job)) return Incompatible("jobs", a, b);
  if (Differ(a.replica, b.replica)) return Incompatible("replicas", a, b);
  if (Differ(a.task, b.task)) return Incompatible("tasks", a, b);
  return OkStatus();
}

}  // namespace

SpecTable::SpecTable() { Intern(DeviceName()); }

SpecId SpecTable::Intern(const DeviceName& spec) {
  auto [it, added] = ids_.try_emplace(spec.ToString());
  if (added) {
    it->second.first = static_cast<SpecId>(specs_.size());
    it->second.second = std::make_unique<DeviceName>(spec);
    specs_.push_back(it->second.second.get());
  }
  return it->second.first;
}

StatusOr<SpecId> SpecTable::Parse(std::string_view text) {
  if (text.empty()) return kAnyDevice;
  if (auto it = parsed_.find(text); it != parsed_.end()) return it->second;
  RHEO_ASSIGN_OR_RETURN(const DeviceName spec, DeviceName::Parse(text));
  const SpecId id = Intern(spec);
  parsed_.emplace(text, id);
  return id;
}

bool SpecTable::Compatible(SpecId a, SpecId b) const {
  return a == b || Get(a).IsCompatibleWith(Get(b));
}

StatusOr<SpecId> SpecTable::Merge(SpecId target, SpecId other, Conflict conflict) {
  if (target == other || other == kAnyDevice) return target;
  if (target == kAnyDevice) return other;
  const DeviceName& a = Get(target);
  const DeviceName& b = Get(other);
  RHEO_RETURN_IF_ERROR(CheckTasks(a, b));
  DeviceName merged = a.CompletedFrom(b);
  const bool types_differ = Differ(a.type, b.type);
  const bool ids_differ = Differ(a.id, b.id);
  if (conflict == Conflict::kFails) {
    if (types_differ) return Incompatible("types", a, b);
    if (ids_differ) return Incompatible("ids", a, b);
  } else {
    if (types_differ) merged.type.reset();
    if (types_differ || ids_differ) merged.id.reset();
  }
  return Intern(merged);
}

SpecId SpecTable::Override(SpecId base, SpecId winner) {
  if (base == winner || winner == kAnyDevice) return base;
  return Intern(Get(winner).CompletedFrom(Get(base)));
}

}  // namespace rheo::placer
