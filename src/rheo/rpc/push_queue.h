// PushQueue: the tensors on their way to one task, at most one message in flight.
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
  explicit PushQueue(std::shared_ptr<service::WorkerService> worker) : worker_(std::move(worker)) {}

  // Sends `tensors` after everything that was pushed before; `done` gets the end of the message
  // that carried them. Callbacks run without a lock held.
  void Push(std::vector<rendezvous::PushedTensor> tensors, DoneCallback done);

 private:
  // The tensors of one Push, never split.
  struct Parcel {
    std::vector<rendezvous::PushedTensor> tensors;
    DoneCallback done;
  };
  struct Shipment;

  // Sends until nothing waits or a message stays in flight.
  void SendWaiting();
  std::shared_ptr<Shipment> TakeShipment();

  const std::shared_ptr<service::WorkerService> worker_;
  Mutex mutex_;
  bool in_flight_ RHEO_GUARDED_BY(mutex_) = false;
  std::deque<Parcel> waiting_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_PUSH_QUEUE_H_
