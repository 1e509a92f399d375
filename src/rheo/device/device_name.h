// DeviceName: a full or partial device specification, e.g. "/job:ps/replica:0/task:1/device:CPU:0".
#ifndef RHEO_DEVICE_DEVICE_NAME_H_
#define RHEO_DEVICE_DEVICE_NAME_H_

#include <optional>
#include <string>
#include <string_view>

#include "rheo/base/status.h"

namespace rheo::device {

// Every part may be absent, which means "any".
struct DeviceName {
  std::optional<std::string> job;
  std::optional<int> replica;
  std::optional<int> task;
  std::optional<std::string> type;  // "CPU", "GPU": upper case
  std::optional<int> id;

  // Grammar of wire.md 5.1: parts in any order, `*` = absent, the legacy forms "/cpu:0" and
  // "/gpu:1", the local forms "CPU:0" and "cpu:0", "" and "/" for the empty specification.
  // INVALID_ARGUMENT "malformed device specification '<text>'" otherwise.
  static StatusOr<DeviceName> Parse(std::string_view text);

  // Present parts in the order job, replica, task, device; an absent id prints as `*`.
  std::string ToString() const;

  bool is_full() const { return job && replica && task && type && id; }
  bool has_task() const { return job && replica && task; }
  bool empty() const { return !job && !replica && !task && !type && !id; }

  // "/job:ps/replica:0/task:1" of the parts before the device.
  DeviceName TaskPart() const;
  // "/device:CPU:0" of the parts of the device.
  DeviceName LocalPart() const;

  // True when some device fits both: no part is present in both and unequal.
  bool IsCompatibleWith(const DeviceName& other) const;
  // True when `full` has every part that this specification names, equal.
  bool Covers(const DeviceName& full) const;
  // True when job, replica and task are present in both and equal.
  bool SameTask(const DeviceName& other) const;

  // This specification with the absent parts taken from `other`.
  DeviceName CompletedFrom(const DeviceName& other) const;

  friend bool operator==(const DeviceName&, const DeviceName&) = default;
};

// True for a job name of the grammar [A-Za-z][A-Za-z0-9_]*.
bool IsValidJobName(std::string_view job);

// Of a full device name as it is written, "/job:ps/replica:0/task:1/device:CPU:0": the task,
// "/job:ps/replica:0/task:1", and the device within it, "/device:CPU:0". A text without "/device:"
// is a task for the one and "" for the other.
std::string_view TaskOf(std::string_view device);
std::string_view DeviceWithinTask(std::string_view device);

// "/job:<job>/replica:0/task:<task>".
std::string TaskName(std::string_view job, int task);

}  // namespace rheo::device

#endif  // RHEO_DEVICE_DEVICE_NAME_H_
