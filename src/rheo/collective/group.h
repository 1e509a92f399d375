// Group: the devices that take part in collectives together.
#ifndef RHEO_COLLECTIVE_GROUP_H_
#define RHEO_COLLECTIVE_GROUP_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rheo/device/device.h"

namespace rheo::collective {

// A complete group; never changes.
struct Group {
  int32_t key = 0;
  std::string device_type;
  std::vector<device::DeviceInfo> members;  // by rank, which is the order of their names
  std::string communicator_key;             // the leader's; empty between CPUs
  bool all_are_rheo = false;                // as far as a leader of ours has seen

  int size() const { return static_cast<int>(members.size()); }
  // -1 when the device is no member.
  int RankOf(std::string_view device) const {
    for (size_t i = 0; i < members.size(); ++i) {
      if (members[i].name == device) return static_cast<int>(i);
    }
    return -1;
  }
  // How many members each task has, in order of ranks.
  std::vector<int> MembersOfTasks() const {
    std::vector<int> counts;
    std::string_view last;
    for (const device::DeviceInfo& member : members) {
      const std::string_view task = device::TaskOf(member.name);
      if (counts.empty() || task != last) counts.push_back(0);
      ++counts.back();
      last = task;
    }
    return counts;
  }
};
using GroupRef = std::shared_ptr<const Group>;

}  // namespace rheo::collective

#endif  // RHEO_COLLECTIVE_GROUP_H_
