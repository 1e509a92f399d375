// PushQueue: the tensors on their way to one task, a few messages in flight at most.
#ifndef RHEO_RPC_PUSH_QUEUE_H_
#define RHEO_RPC_PUSH_QUEUE_H_

#include <deque>
#include <memory>
#include <vector>

#include "rheo/base/mutex.h"
#include "rheo/rendezvous/tensor_transport.h"
#include "rheo/service/worker_service.h"

namespace rheo::rpc {

// Thread-safe; lives at least until its last message was answered.
class PushQueue : public std::enable_shared_from_this<PushQueue> {
 public:
  // Messages in flight at a time. One would make each wait for the answer to the last; many would
  // be messages of one tensor each.
  static constexpr int kMaxInFlight = 4;

  explicit PushQueue(std::shared_ptr<service::WorkerService> worker) : worker_(std::move(worker)) {}

  // Sends `tensors`, at once or in the next message after those in flight; `done` gets the end of
  // the message that carried them. Callbacks run without a lock held.
  void Push(std::vector<rendezvous::PushedTensor> tensors, DoneCallback done);

 private:
  // The tensors of one Push, never split.
  struct Parcel {
    std::vector<rendezvous::PushedTensor> tensors;
    DoneCallback done;
  };
  struct Shipment;

  // Sends until nothing waits or too many messages are in flight.
  void SendWaiting();
  std::shared_ptr<Shipment> TakeShipment();
  // A message was answered.
  void Landed();

  const std::shared_ptr<service::WorkerService> worker_;
  Mutex mutex_;
  int in_flight_ RHEO_GUARDED_BY(mutex_) = 0;
  std::deque<Parcel> waiting_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_PUSH_QUEUE_H_
