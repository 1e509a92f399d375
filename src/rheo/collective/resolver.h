// Resolver: how the members on this task learn who is in their group and who sends in a broadcast:
// from the leader, once, or from this task's own tables.
#ifndef RHEO_COLLECTIVE_RESOLVER_H_
#define RHEO_COLLECTIVE_RESOLVER_H_

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "rheo/collective/group_table.h"
#include "rheo/collective/instance_table.h"
#include "rheo/service/worker_service.h"

namespace rheo::collective {

// Thread-safe; owned by shared_ptr.
class Resolver : public std::enable_shared_from_this<Resolver> {
 public:
  // `leader` is the task that is asked; empty or this task: none. `workers` finds it and outlives
  // the resolver's calls; may be null where there is no leader.
  Resolver(const std::string& own_task, std::string leader, service::WorkerDirectory* workers);

  // For members on this task. An answer of the leader is kept until Forget. The leader's call goes
  // on when all who waited for it have left, since a TensorFlow leader that sees one cancelled
  // refuses all later ones.
  void FindGroup(const service::CompleteGroupRequest& request, StopToken stop,
                 GroupTable::Callback done);
  void FindSource(const GroupRef& group, const service::CompleteInstanceRequest& request,
                  StopToken stop, InstanceTable::Callback done);
  // A collective of the group failed: the next one asks anew.
  void Forget(int32_t group_key);

  // For members on other tasks.
  void OnCompleteGroup(const service::CompleteGroupRequest& request,
                       service::CompleteGroupResponse* response, const service::Call& call,
                       DoneCallback done);
  void OnCompleteInstance(const service::CompleteInstanceRequest& request,
                          service::CompleteInstanceResponse* response, const service::Call& call,
                          DoneCallback done);

  // Ends all waits, present and future, with `reason`.
  void Stop(const Status& reason);

 private:
  // Answers of the leader beyond this many are forgotten.
  static constexpr size_t kMaxKept = 100'000;
  using GroupKey = std::pair<int32_t, std::string>;  // and the member's device
  // What a member has declared: when it declares another kind or dtype, the leader is asked again.
  struct InstanceKey {
    int32_t group = 0;
    int32_t instance = 0;
    std::string device;
    int32_t type = 0;
    DType dtype = DType::kInvalid;
    auto Fields() const { return std::tie(group, instance, device, type, dtype); }
    bool operator<(const InstanceKey& other) const { return Fields() < other.Fields(); }
    bool operator==(const InstanceKey& other) const { return Fields() == other.Fields(); }
  };
  static InstanceKey InstanceKeyOf(const service::CompleteInstanceRequest& request);
  void ForgetOthers(const InstanceKey& key) RHEO_REQUIRES(mutex_);

  template <typename Key, typename T>
  using Answers = std::map<Key, std::shared_ptr<Outcome<T>>>;
  // The answer of `key` with true when the leader is to be asked for it.
  template <typename Key, typename T>
  std::pair<std::shared_ptr<Outcome<T>>, bool> Entry(Answers<Key, T>& answers, const Key& key)
      RHEO_REQUIRES(mutex_);
  template <typename Key, typename T>
  void Answer(Answers<Key, T> Resolver::*kept, const Key& key,
              const std::shared_ptr<Outcome<T>>& outcome, const StatusOr<T>& answer);
  void AskForGroup(const service::CompleteGroupRequest& request,
                   std::shared_ptr<Outcome<GroupRef>> outcome);
  void AskForSource(const service::CompleteInstanceRequest& request,
                    std::shared_ptr<Outcome<int>> outcome);
  StatusOr<std::shared_ptr<service::WorkerService>> Leader() const;

  const std::string leader_;  // empty: this task
  service::WorkerDirectory* const workers_;
  const std::shared_ptr<GroupTable> groups_ = std::make_shared<GroupTable>();
  const std::shared_ptr<InstanceTable> instances_ = std::make_shared<InstanceTable>();
  StopSource stop_;  // of calls to the leader
  Mutex mutex_;
  Status stopped_ RHEO_GUARDED_BY(mutex_);
  Answers<GroupKey, GroupRef> group_answers_ RHEO_GUARDED_BY(mutex_);
  Answers<InstanceKey, int> source_answers_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::collective

#endif  // RHEO_COLLECTIVE_RESOLVER_H_
