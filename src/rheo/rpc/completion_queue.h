// The one place where operations go into and come out of gRPC's completion queues.
#ifndef RHEO_RPC_COMPLETION_QUEUE_H_
#define RHEO_RPC_COMPLETION_QUEUE_H_

#include <grpcpp/completion_queue.h>

#include <chrono>

#include "rheo/rpc/thread_sanitizer.h"

namespace rheo::rpc {

// What a completion queue hands back. Lives until Complete() was called.
class Operation {
 public:
  // Called once, on the thread that polls the queue, when the operation has ended. `ok` has gRPC's
  // meaning for the operation. May delete the object; must not block.
  virtual void Complete(bool ok) = 0;

 protected:
  ~Operation() = default;
};

// Begins `operation` by the gRPC call `start(tag)`; it may be complete when this returns.
template <typename Start>
void Begin(Operation& operation, Start start) {
  Publish(&operation);
  const GrpcSection section;
  start(static_cast<void*>(&operation));
}

// Waits for one operation and completes it. False once the queue is shut down and empty.
bool RunNext(grpc::CompletionQueue& queue);

// Completes one operation if one has ended; false otherwise, also when the queue is shut down.
// `now` is set to the time before the operation is completed.
bool RunIfReady(grpc::CompletionQueue& queue, std::chrono::steady_clock::time_point& now);

// Completes operations until the queue is shut down and empty.
void RunAll(grpc::CompletionQueue& queue);

// Switches off the deadlock detection of gRPC's mutexes, which triples the price of each lock, and
// sends gRPC's own log lines through ours. Process-wide; called by whatever makes a server or a
// client.
void PrepareGrpc();

}  // namespace rheo::rpc

#endif  // RHEO_RPC_COMPLETION_QUEUE_H_
