// SpecTable: the device specifications of one placement, numbered. Most nodes ask for one of a few
// devices, so groups carry numbers and merging two equal specifications compares integers.
#ifndef RHEO_PLACER_SPEC_TABLE_H_
#define RHEO_PLACER_SPEC_TABLE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/base/string_map.h"
#include "rheo/device/device_name.h"

namespace rheo::placer {

// The number of a specification; equal specifications have equal numbers.
using SpecId = int;
inline constexpr SpecId kAnyDevice = 0;

// What merging does when two specifications name different device types or ids.
enum class Conflict { kFails, kClearsDevice };

class SpecTable {
 public:
  SpecTable();

  // INVALID_ARGUMENT for a text that is no specification.
  StatusOr<SpecId> Parse(std::string_view text);
  SpecId Intern(const device::DeviceName& spec);

  const device::DeviceName& Get(SpecId id) const { return *specs_[static_cast<size_t>(id)]; }
  std::string ToString(SpecId id) const { return Get(id).ToString(); }

  bool Compatible(SpecId a, SpecId b) const;
  // `target` narrowed by `other`. INVALID_ARGUMENT when they name different jobs, replicas or
  // tasks, and under kFails different types or ids; kClearsDevice drops the parts in conflict.
  StatusOr<SpecId> Merge(SpecId target, SpecId other, Conflict conflict);
  // `base` with the parts of `winner` in place of its own.
  SpecId Override(SpecId base, SpecId winner);

 private:
  std::vector<const device::DeviceName*> specs_;  // keys' values live in ids_
  StringMap<std::pair<SpecId, std::unique_ptr<device::DeviceName>>> ids_;  // by canonical text
  StringMap<SpecId> parsed_;                                               // by text as written
};

}  // namespace rheo::placer

#endif  // RHEO_PLACER_SPEC_TABLE_H_
