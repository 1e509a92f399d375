// InstanceTable: who sends in which broadcast, as far as this task is the one to say (wire.md 21).
#ifndef RHEO_COLLECTIVE_INSTANCE_TABLE_H_
#define RHEO_COLLECTIVE_INSTANCE_TABLE_H_

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "rheo/collective/declarations.h"
#include "rheo/collective/group.h"
#include "rheo/collective/outcome.h"
#include "rheo/service/worker_service.h"

namespace rheo::collective {

// Values of CompleteInstanceRequest::type.
inline constexpr int32_t kReduction = 0;
inline constexpr int32_t kBroadcast = 1;
inline constexpr int32_t kGather = 2;

// Lives and errors of instances are as those of groups in group_table.h; what their members declare
// is compared as declarations.h says. Thread-safe; owned by shared_ptr.
class InstanceTable : public std::enable_shared_from_this<InstanceTable> {
 public:
  using Callback = Outcome<int>::Callback;  // the source's rank, -1 where there is none

  // Declares a member of `group`, and calls `done` once all have: at once but for broadcasts.
  // INVALID_ARGUMENT for a device that is not in the group and for shapes that differ, INTERNAL for
  // types that differ and when none or two of them send.
  void Declare(const Group& group, const service::CompleteInstanceRequest& request, StopToken stop,
               Callback done);
  // A collective of the group failed: what its members declare is compared anew.
  void Forget(int32_t group_key);
  // Answers all calls, present and future, with `reason`.
  void Stop(const Status& reason);

  // As GroupTable::kMaxComplete.
  static constexpr size_t kMaxComplete = 100'000;

 private:
  using Key = std::pair<int32_t, int32_t>;  // of the group and of the instance
  struct Forming {
    std::map<int, int> num_waiting;  // by rank
    int source = -1;
    std::shared_ptr<Outcome<int>> outcome = std::make_shared<Outcome<int>>();
  };
  struct Complete {
    int source = -1;
    uint64_t number = 0;
  };

  // What a call gets at once, unless `wait` is set.
  StatusOr<int> Admit(const Group& group, int rank, const service::CompleteInstanceRequest& request,
                      std::shared_ptr<Outcome<int>>& wait, std::shared_ptr<Outcome<int>>& to_tell)
      RHEO_REQUIRES(mutex_);
  void Leave(const Key& key, int rank, const Outcome<int>* outcome);

  Mutex mutex_;
  Status stopped_ RHEO_GUARDED_BY(mutex_);
  Declarations declarations_ RHEO_GUARDED_BY(mutex_);
  std::map<Key, Forming> forming_ RHEO_GUARDED_BY(mutex_);
  std::map<Key, Complete> complete_ RHEO_GUARDED_BY(mutex_);
  std::map<uint64_t, Key> by_age_ RHEO_GUARDED_BY(mutex_);
  uint64_t last_number_ RHEO_GUARDED_BY(mutex_) = 0;
};

}  // namespace rheo::collective

#endif  // RHEO_COLLECTIVE_INSTANCE_TABLE_H_
