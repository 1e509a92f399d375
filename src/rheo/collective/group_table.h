// GroupTable: who is in which group, as far as this task is the one to say (wire.md 21).
#ifndef RHEO_COLLECTIVE_GROUP_TABLE_H_
#define RHEO_COLLECTIVE_GROUP_TABLE_H_

#include <map>
#include <memory>
#include <string>

#include "rheo/collective/group.h"
#include "rheo/collective/outcome.h"
#include "rheo/service/worker_service.h"

namespace rheo::collective {

// A group forms while devices wait for it: whoever leaves before it is complete is not in it. Once
// complete it stays, so that a member that asks again gets the same answer.
//
// An error of a group that forms is told to all who wait for it, and the group is forgotten: the
// next call begins it anew. Thread-safe; owned by shared_ptr.
class GroupTable : public std::enable_shared_from_this<GroupTable> {
 public:
  using Callback = Outcome<GroupRef>::Callback;

  // Adds the device of the request, and calls `done` once the group is complete. INVALID_ARGUMENT
  // for a group without size or a device without a full name, INTERNAL for a device that does not
  // fit, FAILED_PRECONDITION for one that was restarted, CANCELLED (derived) once `stop` fires.
  void Join(const service::CompleteGroupRequest& request, StopToken stop, Callback done);
  // Null when there is no complete group of that key.
  GroupRef Find(int32_t key) const;
  // Answers all calls, present and future, with `reason`.
  void Stop(const Status& reason);

  // Complete groups that are kept, and their members; the ones beyond are the oldest and are
  // forgotten.
  static constexpr size_t kMaxComplete = 10'000;
  static constexpr size_t kMaxMembers = 100'000;
  // What a device may say of itself, in bytes.
  static constexpr size_t kMaxAttributes = 4096;

 private:
  struct Member {
    device::DeviceInfo device;
    bool is_rheo = false;
    int num_waiting = 0;
  };
  struct Forming {
    int32_t size = 0;
    std::string device_type;
    std::map<std::string, Member> members;  // by name, which is the order of ranks
    std::shared_ptr<Outcome<GroupRef>> outcome = std::make_shared<Outcome<GroupRef>>();
  };
  struct Complete {
    GroupRef group;
    uint64_t number = 0;
  };

  // What a call gets at once: a group, an error, or nothing (null).
  StatusOr<GroupRef> Admit(const service::CompleteGroupRequest& request,
                           std::shared_ptr<Outcome<GroupRef>>& wait,
                           std::shared_ptr<Outcome<GroupRef>>& to_tell) RHEO_REQUIRES(mutex_);
  Status CheckAgainst(const Group& group, const service::CompleteGroupRequest& request)
      RHEO_REQUIRES(mutex_);
  void Keep(GroupRef group) RHEO_REQUIRES(mutex_);
  void Drop(int32_t key) RHEO_REQUIRES(mutex_);
  void Leave(int32_t key, const std::string& device, const Outcome<GroupRef>* outcome);

  mutable Mutex mutex_;
  Status stopped_ RHEO_GUARDED_BY(mutex_);
  std::map<int32_t, Forming> forming_ RHEO_GUARDED_BY(mutex_);
  std::map<int32_t, Complete> complete_ RHEO_GUARDED_BY(mutex_);
  std::map<uint64_t, int32_t> by_age_ RHEO_GUARDED_BY(mutex_);
  uint64_t last_number_ RHEO_GUARDED_BY(mutex_) = 0;
  size_t num_members_ RHEO_GUARDED_BY(mutex_) = 0;  // of complete_
};

}  // namespace rheo::collective

#endif  // RHEO_COLLECTIVE_GROUP_TABLE_H_
