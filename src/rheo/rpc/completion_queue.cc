#include "rheo/rpc/completion_queue.h"

#include "absl/synchronization/mutex.h"

namespace rheo::rpc {

bool RunNext(grpc::CompletionQueue& queue) {
  void* tag = nullptr;
  bool ok = false;
  {
    const GrpcSection section;
    if (!queue.Next(&tag, &ok)) return false;
  }
  Receive(tag);
  static_cast<Operation*>(tag)->Complete(ok);
  return true;
}

void RunAll(grpc::CompletionQueue& queue) {
  while (RunNext(queue)) {
  }
}

void PrepareGrpc() { absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore); }

}  // namespace rheo::rpc
