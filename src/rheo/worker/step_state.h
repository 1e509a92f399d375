// StepState: what a worker keeps of one step: its rendezvous, its stop source, who runs it.
#ifndef RHEO_WORKER_STEP_STATE_H_
#define RHEO_WORKER_STEP_STATE_H_

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rheo/async/stop.h"
#include "rheo/base/ids.h"
#include "rheo/base/mutex.h"
#include "rheo/base/string_map.h"
#include "rheo/collective/buffer_table.h"
#include "rheo/kernel/resource_manager.h"
#include "rheo/rendezvous/local_rendezvous.h"
#include "rheo/rendezvous/tensor_transport.h"
#include "rheo/worker/transfer_log.h"

namespace rheo::worker {

// How the tensors of a registered graph reach other tasks.
struct GraphRoutes {
  std::string task;  // this task's name in the session, e.g. "/job:ps/replica:0/task:0"
  std::shared_ptr<rendezvous::TensorTransport> transport;  // null: no peers
  // tensor_name of the Sends whose receiver is a Rheo task that waits for a push, and of the Recvs
  // whose sender will push.
  StringSet pushed_edges;
  bool pushes = false;     // some of pushed_edges begin here
  bool has_peers = false;  // something is sent to other tasks or received from them
};

// The Rendezvous of one step: values for this task stay here; values for others are pushed, or kept
// until they are asked for; values from others are awaited (pushed) or pulled.
//
// Thread-safe. Shared by the running graph, by requests of other tasks and by pushes under way.
class StepRendezvous final : public rendezvous::Rendezvous,
                             public std::enable_shared_from_this<StepRendezvous> {
 public:
  // `stop`: the step's own, which an abort fires.
  StepRendezvous(StepId step, StopSource stop) : step_(step), stop_(std::move(stop)) {}

  // Before this, values and requests of other tasks may arrive; after it, Send and Recv of this
  // task's nodes.
  // With a `log`, what comes from other tasks is noted there.
  void SetRoutes(std::shared_ptr<const GraphRoutes> routes,
                 std::shared_ptr<TransferLog> log = nullptr);

  Status Send(const rendezvous::RendezvousKey& key, rendezvous::Item item) override;
  void Recv(const rendezvous::RendezvousKey& key, StopToken stop,
            rendezvous::RecvCallback done) override;
  void Abort(const Status& status) override;
  std::vector<rendezvous::WaitingRecv> Waiting() const override;

  // For feeds, fetches and requests of other tasks: this task's own table, whatever the key says.
  rendezvous::LocalRendezvous& local() { return local_; }

  // A value that another task pushed. An announced one is pulled at once.
  void OnPushed(const rendezvous::RendezvousKey& key, rendezvous::Item item, bool announced);

  // Values for other tasks collect until one of these is called. TakePushes hands those for `task`
  // to the caller, who sees that they arrive.
  void FlushPushes();
  std::vector<rendezvous::PushedTensor> TakePushes(std::string_view task);

  // Flushes, and calls `done` once all pushes so far have arrived: OK, or the first failure.
  void WhenPushed(DoneCallback done);

 private:
  bool IsLocal(const std::string& device) const;
  // `done`, and before it a note in the log.
  rendezvous::RecvCallback Logged(const rendezvous::RendezvousKey& key,
                                  rendezvous::RecvCallback done);
  void Push(const rendezvous::RendezvousKey& key, rendezvous::Item item);
  void OnPushDone(Status status);
  void PullAnnounced(const rendezvous::RendezvousKey& key);

  const StepId step_;
  rendezvous::LocalRendezvous local_;
  // Written once, by SetRoutes under the mutex, before the nodes that read it without one run.
  std::shared_ptr<const GraphRoutes> routes_;
  std::shared_ptr<TransferLog> log_;

  // What waits to be pushed, by task.
  struct Parcel {
    std::string_view task;  // of a key in `tensors`
    std::vector<rendezvous::PushedTensor> tensors;
  };

  mutable Mutex mutex_;
  std::vector<Parcel> outbox_ RHEO_GUARDED_BY(mutex_);
  std::vector<rendezvous::RendezvousKey> early_announcements_ RHEO_GUARDED_BY(mutex_);
  int pushes_under_way_ RHEO_GUARDED_BY(mutex_) = 0;
  Status push_status_ RHEO_GUARDED_BY(mutex_);
  DoneCallback when_pushed_ RHEO_GUARDED_BY(mutex_);
  // Values pulled after an announcement, or by a Recv.
  struct Pulling {
    rendezvous::RendezvousKey key;
    std::chrono::steady_clock::time_point since;
  };
  std::vector<std::shared_ptr<Pulling>> pulling_ RHEO_GUARDED_BY(mutex_);
  // Stops pulls when the step is aborted.
  StopSource stop_;
};

// One step on this worker. Life: made by whoever comes first (RunGraph, RecvTensor, PushTensors),
// started by RunGraph, ended when its graph has finished; dropped by CleanupGraph, by the end of
// its session, or at once when no other task can ask for its values.
struct StepState {
  explicit StepState(StepId id)
      : step(id), rendezvous(std::make_shared<StepRendezvous>(id, stop)), resources("step") {}

  // Ends all that waits in the step, and all that will: operations are stopped, and receives get
  // `reason`.
  void Stop(const Status& reason) {
    buffers.Abort(reason);
    rendezvous->Abort(reason);
  }

  const StepId step;
  StopSource stop;
  const std::shared_ptr<StepRendezvous> rendezvous;  // aborted: `stop` fires
  collective::BufferTable buffers;                   // what collectives have for other members
  kernel::ResourceManager resources;                 // per-step containers
  // The StepUses of it; grows under the lock of its StepTable only.
  std::atomic<int> uses = 0;

  Mutex mutex;
  bool started RHEO_GUARDED_BY(mutex) = false;
  bool running RHEO_GUARDED_BY(mutex) = false;
  std::string session RHEO_GUARDED_BY(mutex);
  // Why this task ended the step; OK: it did not.
  Status ended_by_task RHEO_GUARDED_BY(mutex);

  // Partial runs: the graph runs until its last part; each part waits for its own values.
  bool partial_finished RHEO_GUARDED_BY(mutex) = false;
  Status partial_status RHEO_GUARDED_BY(mutex);
  std::vector<DoneCallback> partial_waiters RHEO_GUARDED_BY(mutex);
};

// Somebody who needs that the step stays in its StepTable until it runs, or until he has what he
// waits for.
class StepUse {
 public:
  StepUse() = default;  // of no step
  explicit StepUse(std::shared_ptr<StepState> state) : state_(std::move(state)) { ++state_->uses; }
  StepUse(StepUse&& other) noexcept = default;
  StepUse& operator=(StepUse&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~StepUse() {
    if (state_ != nullptr) --state_->uses;
  }

  const std::shared_ptr<StepState>& state() const { return state_; }
  StepState* operator->() const { return state_.get(); }
  friend bool operator==(const StepUse& a, const StepUse& b) { return a.state_ == b.state_; }

 private:
  std::shared_ptr<StepState> state_;  // null: of no step
};

}  // namespace rheo::worker

#endif  // RHEO_WORKER_STEP_STATE_H_
