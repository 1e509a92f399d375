// CallQueues: the completion queues of a client and its register of open calls.
#ifndef RHEO_RPC_CALL_QUEUES_H_
#define RHEO_RPC_CALL_QUEUES_H_

#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>

#include <memory>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "rheo/async/thread_pool.h"
#include "rheo/base/mutex.h"
#include "rheo/rpc/traffic.h"

namespace rheo::rpc {

// Thread-safe.
class CallQueues {
 public:
  CallQueues(int num_pollers, TrafficCounters* traffic);
  // Precondition: Shutdown() was called. Waits for the threads that still poll a queue of their
  // own.
  ~CallQueues();

  TrafficCounters& traffic() { return traffic_; }

  // The queue that the shared threads poll; starts them when they do not run.
  grpc::CompletionQueue& Shared();

  // Where work goes that would hold up a poller, copies of large values say; starts its thread with
  // the first.
  void RunElsewhere(ThreadPool::Task work);

  // A queue for one call, which the calling thread polls; give it back when it is empty.
  std::unique_ptr<grpc::CompletionQueue> Borrow();
  void GiveBack(std::unique_ptr<grpc::CompletionQueue> queue);

  // Registers an open call, so that Shutdown can cancel it. False after Shutdown.
  bool Open(grpc::ClientContext& call);
  void Closed(grpc::ClientContext& call);

  // Cancels all open calls; refuses new ones.
  void Shutdown();

 private:
  const int num_pollers_;
  TrafficCounters own_traffic_;
  TrafficCounters& traffic_;
  grpc::CompletionQueue shared_;

  Mutex mutex_;
  CondVar changed_;
  bool stopped_ RHEO_GUARDED_BY(mutex_) = false;
  absl::flat_hash_set<grpc::ClientContext*> open_ RHEO_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<grpc::CompletionQueue>> idle_ RHEO_GUARDED_BY(mutex_);
  int num_borrowed_ RHEO_GUARDED_BY(mutex_) = 0;
  std::unique_ptr<ThreadPool> pollers_ RHEO_GUARDED_BY(mutex_);
  std::unique_ptr<ThreadPool> copier_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_CALL_QUEUES_H_
