// PolledQueue: a completion queue with the threads that poll it.
//
// A server and the client of the same process share one. With a queue each, their pollers would
// wake each other: gRPC lets one thread of the process watch all connections, and what arrives for
// the other's queue costs a thread hand-off.
#ifndef RHEO_RPC_POLLED_QUEUE_H_
#define RHEO_RPC_POLLED_QUEUE_H_

#include <grpcpp/completion_queue.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "rheo/async/thread_pool.h"
#include "rheo/base/mutex.h"

namespace rheo::rpc {

// Thread-safe.
class PolledQueue {
 public:
  // A server's queue comes from its builder.
  PolledQueue(std::unique_ptr<grpc::CompletionQueue> queue, std::string thread_name,
              int num_pollers);
  // Completes what is in the queue. Precondition: nothing new is put in; a server's queue: the
  // server is shut down. Not to be called from a callback.
  ~PolledQueue();
  PolledQueue(const PolledQueue&) = delete;
  PolledQueue& operator=(const PolledQueue&) = delete;

  // Starts the threads, the first time. Before, what is begun on the queue does not complete.
  void Start();
  grpc::CompletionQueue& queue() { return *queue_; }

  enum class Expected : uint8_t { kNothing, kAnswer, kRequest };
  // Something comes through this queue, perhaps soon: the answer to a call that was sent, or the
  // next request of a caller who got its answer. The pollers may spin for it.
  void Expect(Expected what) { expected_.store(what, std::memory_order_relaxed); }

 private:
  void Poll();

  const std::unique_ptr<grpc::CompletionQueue> queue_;
  const std::string thread_name_;
  const int num_pollers_;
  // The last thing expected, taken by a poller before it sleeps. Relaxed: a hint.
  std::atomic<Expected> expected_{Expected::kNothing};
  Mutex mutex_;
  std::unique_ptr<ThreadPool> pollers_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_POLLED_QUEUE_H_
