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
#include "rheo/rpc/polled_queue.h"
#include "rheo/rpc/spin_budget.h"
#include "rheo/rpc/traffic.h"

namespace rheo::rpc {

// A queue for one call after another, polled by the calling thread.
struct CallerQueue {
  grpc::CompletionQueue queue;
  SpinBudget budget;
};

// Thread-safe.
class CallQueues {
 public:
  CallQueues(std::shared_ptr<PolledQueue> shared, TrafficCounters* traffic);
  // Precondition: Shutdown() was called. Returns when all callbacks have run and no thread polls a
  // queue of its own.
  ~CallQueues();

  TrafficCounters& traffic() { return traffic_; }

  // The queue that shared threads poll; starts them when they do not run.
  grpc::CompletionQueue& Shared();

  // A call on the shared queue was sent.
  void Expect() { shared_->Expect(PolledQueue::Expected::kAnswer); }

  // Where work goes that would hold up a poller, copies of large values say; starts its thread with
  // the first.
  void RunElsewhere(ThreadPool::Task work);

  // A queue for one call, which the calling thread polls; give it back when it is empty.
  std::unique_ptr<CallerQueue> Borrow();
  void GiveBack(std::unique_ptr<CallerQueue> queue);

  // Registers an open call until its callback has run, so that Shutdown can cancel it. False after
  // Shutdown.
  bool Open(grpc::ClientContext& call);
  void Closed(grpc::ClientContext& call);

  // Cancels all open calls; refuses new ones.
  void Shutdown();

 private:
  const std::shared_ptr<PolledQueue> shared_;
  TrafficCounters own_traffic_;
  TrafficCounters& traffic_;

  Mutex mutex_;
  CondVar changed_;
  bool stopped_ RHEO_GUARDED_BY(mutex_) = false;
  absl::flat_hash_set<grpc::ClientContext*> open_ RHEO_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<CallerQueue>> idle_ RHEO_GUARDED_BY(mutex_);
  int num_borrowed_ RHEO_GUARDED_BY(mutex_) = 0;
  std::unique_ptr<ThreadPool> copier_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_CALL_QUEUES_H_
