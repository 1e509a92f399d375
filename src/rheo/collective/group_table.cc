#include "rheo/collective/group_table.h"

#include <utility>

namespace rheo::collective {
namespace {

using service::CompleteGroupRequest;

Status CheckRequest(const CompleteGroupRequest& request) {
  if (!request.device) {
    return Internal(
        "CompleteGroupRequest device_attributes is not set. Group {} cannot tell who joins it",
        request.group_key);
  }
  if (request.group_size <= 0) {
    return InvalidArgument("a group of {} members cannot be (group_key={})", request.group_size,
                           request.group_key);
  }
  const device::DeviceInfo& device = *request.device;
  const size_t num_bytes = device.name.size() + device.type.size() + device.locality.size() +
                           device.description.size() + request.device_type.size();
  if (num_bytes > GroupTable::kMaxAttributes) {
    return InvalidArgument(
        "a device that joins group {} describes itself in {} bytes; at most {} are taken",
        request.group_key, num_bytes, GroupTable::kMaxAttributes);
  }
  const auto name = device::DeviceName::Parse(device.name);
  if (name.ok() && name->is_full()) return OkStatus();
  return InvalidArgument(
      "'{}' joins group {}, but is no full name of a device, as "
      "/job:worker/replica:0/task:0/device:CPU:0 is",
      device.name, request.group_key);
}

// Whether the request may be of a group of this size and type.
Status CheckKind(const CompleteGroupRequest& request, int size, const std::string& device_type) {
  if (request.group_size != size) {
    return Internal(
        "Device {} is joining a group with size{}, but that group has size {} "
        "(group_key={})",
        request.device->name, request.group_size, size, request.group_key);
  }
  if (request.device_type == device_type) return OkStatus();
  return Internal(
      "Device {} is joining a group of devices of type {} as one of type {} "
      "(group_key={})",
      request.device->name, device_type, request.device_type, request.group_key);
}

Status IsFull(const CompleteGroupRequest& request) {
  return Internal("Device {} is joining a group that is already full (group_key={})",
                  request.device->name, request.group_key);
}

Status WasRestarted(const CompleteGroupRequest& request) {
  return FailedPrecondition(
      "Device {} current incarnation doesn't match with one in the group. It was restarted; the "
      "group forms anew (group_key={})",
      request.device->name, request.group_key);
}

}  // namespace

void GroupTable::Join(const CompleteGroupRequest& request, StopToken stop, Callback done) {
  std::shared_ptr<Outcome<GroupRef>> wait;
  std::shared_ptr<Outcome<GroupRef>> to_tell;
  if (Status bad = CheckRequest(request); !bad.ok()) return done(std::move(bad));
  StatusOr<GroupRef> answer = GroupRef();
  {
    MutexLock lock(mutex_);
    answer = Admit(request, wait, to_tell);
  }
  if (to_tell != nullptr) to_tell->Set(answer);
  if (wait == nullptr) return done(std::move(answer));
  wait->Wait(std::move(stop),
             [self = shared_from_this(), key = request.group_key, device = request.device->name,
              outcome = wait.get(), done = std::move(done)](StatusOr<GroupRef> group) mutable {
               if (!group.ok()) self->Leave(key, device, outcome);
               done(std::move(group));
             });
}

StatusOr<GroupRef> GroupTable::Admit(const CompleteGroupRequest& request,
                                     std::shared_ptr<Outcome<GroupRef>>& wait,
                                     std::shared_ptr<Outcome<GroupRef>>& to_tell) {
  RHEO_RETURN_IF_ERROR(stopped_);
  if (const auto it = complete_.find(request.group_key); it != complete_.end()) {
    const GroupRef group = it->second.group;
    RHEO_RETURN_IF_ERROR(CheckAgainst(*group, request));
    return group;
  }
  auto [it, is_new] = forming_.try_emplace(request.group_key);
  Forming& forming = it->second;
  if (is_new) {
    forming.size = request.group_size;
    forming.device_type = request.device_type;
  }
  Status status = CheckKind(request, forming.size, forming.device_type);
  Member& member = forming.members[request.device->name];
  if (status.ok() && member.num_waiting > 0 &&
      member.device.incarnation != request.device->incarnation) {
    status = WasRestarted(request);
  }
  if (!status.ok()) {
    to_tell = forming.outcome;
    forming_.erase(it);
    return status;
  }
  member.device = *request.device;
  member.is_rheo = request.is_rheo;
  ++member.num_waiting;
  wait = forming.outcome;
  if (static_cast<int64_t>(forming.members.size()) < forming.size) return GroupRef();
  auto group = std::make_shared<Group>();
  group->key = request.group_key;
  group->device_type = forming.device_type;
  group->all_are_rheo = true;
  for (auto& [name, joined] : forming.members) {
    group->members.push_back(std::move(joined.device));
    group->all_are_rheo = group->all_are_rheo && joined.is_rheo;
  }
  to_tell = std::exchange(wait, nullptr);
  forming_.erase(it);
  Keep(group);
  return GroupRef(group);
}

Status GroupTable::CheckAgainst(const Group& group, const CompleteGroupRequest& request) {
  RHEO_RETURN_IF_ERROR(CheckKind(request, group.size(), group.device_type));
  const int rank = group.RankOf(request.device->name);
  if (rank < 0) return IsFull(request);
  if (group.members[static_cast<size_t>(rank)].incarnation == request.device->incarnation) {
    return OkStatus();
  }
  Drop(request.group_key);
  return WasRestarted(request);
}

void GroupTable::Keep(GroupRef group) {
  const int32_t key = group->key;
  num_members_ += group->members.size();
  complete_[key] = {std::move(group), ++last_number_};
  by_age_.emplace(last_number_, key);
  while (complete_.size() > kMaxComplete || (num_members_ > kMaxMembers && complete_.size() > 1)) {
    Drop(by_age_.begin()->second);
  }
}

void GroupTable::Drop(int32_t key) {
  const auto it = complete_.find(key);
  num_members_ -= it->second.group->members.size();
  by_age_.erase(it->second.number);
  complete_.erase(it);
}

void GroupTable::Leave(int32_t key, const std::string& device, const Outcome<GroupRef>* outcome) {
  std::shared_ptr<Outcome<GroupRef>> gone;  // goes without the lock
  MutexLock lock(mutex_);
  const auto it = forming_.find(key);
  if (it == forming_.end() || it->second.outcome.get() != outcome) return;
  const auto member = it->second.members.find(device);
  if (member != it->second.members.end() && --member->second.num_waiting == 0) {
    it->second.members.erase(member);
  }
  if (it->second.members.empty()) {
    gone = it->second.outcome;
    forming_.erase(it);
  }
}

GroupRef GroupTable::Find(int32_t key) const {
  MutexLock lock(mutex_);
  const auto it = complete_.find(key);
  return it == complete_.end() ? nullptr : it->second.group;
}

void GroupTable::Stop(const Status& reason) {
  std::map<int32_t, Forming> forming;
  {
    MutexLock lock(mutex_);
    if (stopped_.ok()) stopped_ = reason;
    forming.swap(forming_);
  }
  for (auto& [key, group] : forming) group.outcome->Set(reason);
}

}  // namespace rheo::collective
