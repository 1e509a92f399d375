// Rendezvous: where the nodes of one step exchange tensors, within a task and between tasks.
#ifndef RHEO_RENDEZVOUS_RENDEZVOUS_H_
#define RHEO_RENDEZVOUS_RENDEZVOUS_H_

#include <chrono>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "rheo/async/stop.h"
#include "rheo/base/status.h"
#include "rheo/rendezvous/rendezvous_key.h"
#include "rheo/tensor/tensor.h"

namespace rheo::rendezvous {

// A value between nodes. A dead one carries no tensor.
struct Item {
  Tensor tensor;
  bool is_dead = false;
};

using RecvCallback = absl::AnyInvocable<void(StatusOr<Item>)>;

// A receive that has not been answered, for lists of blocked steps.
struct WaitingRecv {
  RendezvousKey key;
  std::chrono::steady_clock::time_point since;
};

// Thread-safe. Each key holds a FIFO of values or of waiters: a value goes to the first waiter.
class Rendezvous {
 public:
  virtual ~Rendezvous() = default;

  // Never blocks. After an abort: the abort's status. INVALID_ARGUMENT when the source device of
  // the key is not on this task.
  virtual Status Send(const RendezvousKey& key, Item item) = 0;

  // Calls `done` exactly once: with the value, the abort's status, or CANCELLED (derived) once
  // `stop` fires. `done` may run inside this call, or on the thread that sends, aborts or stops;
  // never under a lock.
  virtual void Recv(const RendezvousKey& key, StopToken stop, RecvCallback done) = 0;

  // Answers all waiters, present and future, and all sends with `status` (not OK). Only the first
  // abort counts.
  virtual void Abort(const Status& status) = 0;

  virtual std::vector<WaitingRecv> Waiting() const = 0;
};

}  // namespace rheo::rendezvous

#endif  // RHEO_RENDEZVOUS_RENDEZVOUS_H_
