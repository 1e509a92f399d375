// Exchange: the pieces that one member sends and receives in one run of a collective.
#ifndef RHEO_COLLECTIVE_EXCHANGE_H_
#define RHEO_COLLECTIVE_EXCHANGE_H_

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "rheo/async/thread_pool.h"
#include "rheo/async/timer.h"
#include "rheo/collective/buffer_table.h"
#include "rheo/collective/group.h"
#include "rheo/kernel/collectives.h"
#include "rheo/service/worker_service.h"

namespace rheo::collective {

// What all runs of a task use; outlives them.
struct ExchangeEnv {
  service::WorkerDirectory* workers = nullptr;  // null: all members are on this task
  ThreadPool* pool = nullptr;                   // null: everything runs where it is called
  TimerQueue* timers = nullptr;
};

// Ends once, when nobody holds it any more: with the result, or with the first error. An error
// aborts the step's table, so that the other members learn of it, and stops what is being received.
//
// Thread-safe. Held by each piece that is under way, and by whoever called Hold.
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  using Done = kernel::Collectives::Callback;
  using Then = absl::AnyInvocable<void(Tensor)>;

  // Held once.
  Exchange(const ExchangeEnv& env, kernel::CollectiveCall call,
           std::shared_ptr<BufferTable> buffers, Done done);

  // Listens for the step's end and for the timeout from now on.
  void Start();
  const kernel::CollectiveCall& call() const { return call_; }
  // Fires when the run fails, for other reasons than the step's end too.
  StopToken stop() const { return stop_.get_token(); }
  // "sum: Reduce(Add,Id) on /job:worker/…/device:CPU:0"
  std::string Describe() const;

  // Tells those who want pieces of `instance` what this member does. Before the first Send and
  // Receive.
  void Join(const std::string& instance);

  // Before Join.
  void SetGroup(GroupRef group) {
    group_ = std::move(group);
    stage_.store(Stage::kDeclaring, std::memory_order_relaxed);
  }
  // All members have declared what they do: the pieces come next.
  void SetDeclared() { stage_.store(Stage::kExchanging, std::memory_order_relaxed); }
  const Group& group() const { return *group_; }

  void Send(const std::string& key, Tensor piece);
  // Calls `then` with the piece of a member once it is there, unless the run has failed. It may be
  // of another dtype; its size is right.
  void Receive(int from_rank, const std::string& key, int64_t num_bytes, Then then);
  // Runs `work` now, or on the pool when it takes long.
  void Work(int64_t num_bytes, absl::AnyInvocable<void()> work);

  void SetResult(Tensor result);
  void Fail(Status status);

  void Hold();
  void Release();

 private:
  // What the run waits for, for messages.
  enum class Stage : uint8_t { kJoining, kDeclaring, kExchanging };
  std::string DescribeWait() const;
  void Pull(std::shared_ptr<service::WorkerService> worker, int from_rank, const std::string& key,
            int64_t num_bytes, BufferTable::TakeCallback done);
  Status FromMember(int rank, const Status& status) const;
  bool has_failed();
  void Finish();

  const ExchangeEnv& env_;
  const kernel::CollectiveCall call_;
  const std::string terms_;  // what this member does: "Reduce(Add,Id) of float[2,3]"
  const std::shared_ptr<BufferTable> buffers_;
  // Set once, before what uses it.
  GroupRef group_;
  std::atomic<Stage> stage_{Stage::kJoining};  // told, and decides nothing
  StopSource stop_;
  std::optional<StopCallback> on_stop_;
  uint64_t watch_ = 0;
  std::optional<TimerQueue::Id> timer_;
  std::string instance_;  // empty: did not join

  Mutex mutex_;
  Done done_ RHEO_GUARDED_BY(mutex_);
  int holds_ RHEO_GUARDED_BY(mutex_) = 1;
  Status status_ RHEO_GUARDED_BY(mutex_);
  Tensor result_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::collective

#endif  // RHEO_COLLECTIVE_EXCHANGE_H_
