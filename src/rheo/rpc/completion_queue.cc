#include "rheo/rpc/completion_queue.h"

#include "absl/synchronization/mutex.h"

#if defined(__SANITIZE_THREAD__)
#define RHEO_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RHEO_TSAN 1
#endif
#endif

#ifdef RHEO_TSAN
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace rheo::rpc {
namespace {

void PublishTag([[maybe_unused]] void* tag) {
#ifdef RHEO_TSAN
  __tsan_release(tag);
#endif
}

void ReceiveTag([[maybe_unused]] void* tag) {
#ifdef RHEO_TSAN
  __tsan_acquire(tag);
#endif
}

}  // namespace

void* Tag(Operation& operation) {
  PublishTag(&operation);
  return &operation;
}

bool RunNext(grpc::CompletionQueue& queue) {
  void* tag = nullptr;
  bool ok = false;
  if (!queue.Next(&tag, &ok)) return false;
  ReceiveTag(tag);
  static_cast<Operation*>(tag)->Complete(ok);
  return true;
}

void RunAll(grpc::CompletionQueue& queue) {
  while (RunNext(queue)) {
  }
}

void PrepareGrpc() { absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore); }

}  // namespace rheo::rpc
