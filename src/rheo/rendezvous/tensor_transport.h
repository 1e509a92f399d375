// TensorTransport: how tensors cross between tasks. Implemented by rpc/ over gRPC and by a direct
// object between servers of one process; tests/conformance holds what both must do.
//
// Pull: the receiver asks, the sender answers when the value exists. Works with any TensorFlow
// peer. Push: the sender sends the moment the value exists, many at a time; only where both tasks
// agreed (CanPush), and then the receiver does not ask.
#ifndef RHEO_RENDEZVOUS_TENSOR_TRANSPORT_H_
#define RHEO_RENDEZVOUS_TENSOR_TRANSPORT_H_

#include <string>
#include <vector>

#include "rheo/async/notification.h"
#include "rheo/async/stop.h"
#include "rheo/base/ids.h"
#include "rheo/rendezvous/rendezvous.h"

namespace rheo::rendezvous {

struct PushedTensor {
  StepId step;
  RendezvousKey key;
  Item item;
  // No value, only word of one that is large: the receiver pulls it.
  bool announced = false;
};

// Thread-safe.
class TensorTransport {
 public:
  virtual ~TensorTransport() = default;

  // Asks the task of the key's source device for one value. Callback rules of Rendezvous::Recv;
  // UNAVAILABLE naming the task when it cannot be reached, ABORTED when it was restarted.
  virtual void Pull(StepId step, const RendezvousKey& key, StopToken stop, RecvCallback done) = 0;

  // True when `task` ("/job:worker/replica:0/task:1") takes pushes from this task.
  virtual bool CanPush(std::string_view task) const = 0;

  // Sends `tensors` to `task` in one message, or with others that wait. Messages may overtake each
  // other. `done` gets OK once the receiver has them, else the error; nothing is sent twice.
  // Precondition: CanPush(task).
  virtual void Push(std::string_view task, std::vector<PushedTensor> tensors,
                    DoneCallback done) = 0;
};

}  // namespace rheo::rendezvous

#endif  // RHEO_RENDEZVOUS_TENSOR_TRANSPORT_H_
