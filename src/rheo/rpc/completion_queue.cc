#include "rheo/rpc/completion_queue.h"

#include <grpc/support/log.h>

#include "absl/synchronization/mutex.h"
#include "rheo/base/log.h"

namespace rheo::rpc {
namespace {

// gRPC's own lines through our log. What it calls an error is mostly a peer's doing (a failed
// handshake), hence only a warning; the rest is for those who debug.
void LogForGrpc(gpr_log_func_args* args) {
  if (args->severity == GPR_LOG_SEVERITY_ERROR) {
    RHEO_LOG(Warning, "gRPC: {}", args->message);
  } else {
    RHEO_LOG(Debug, "gRPC: {}", args->message);
  }
}

}  // namespace

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

bool RunIfReady(grpc::CompletionQueue& queue, std::chrono::steady_clock::time_point& now) {
  void* tag = nullptr;
  bool ok = false;
  grpc::CompletionQueue::NextStatus status;
  {
    const GrpcSection section;
    status = queue.AsyncNext(&tag, &ok, gpr_inf_past(GPR_CLOCK_MONOTONIC));
  }
  now = std::chrono::steady_clock::now();
  if (status != grpc::CompletionQueue::GOT_EVENT) return false;
  Receive(tag);
  static_cast<Operation*>(tag)->Complete(ok);
  return true;
}

void RunAll(grpc::CompletionQueue& queue) {
  while (RunNext(queue)) {
  }
}

void PrepareGrpc() {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  gpr_set_log_function(LogForGrpc);
}

}  // namespace rheo::rpc
