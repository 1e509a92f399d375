#include "rheo/rpc/call_queues.h"

#include <utility>

#include "rheo/rpc/completion_queue.h"

namespace rheo::rpc {

CallQueues::CallQueues(std::shared_ptr<PolledQueue> shared, TrafficCounters* traffic)
    : shared_(std::move(shared)), traffic_(traffic == nullptr ? own_traffic_ : *traffic) {}

CallQueues::~CallQueues() {
  std::unique_ptr<ThreadPool> copier;
  {
    MutexLock lock(mutex_);
    copier = std::move(copier_);
  }
  copier.reset();  // runs what it has; the calls that come of it are refused
  {
    MutexLock lock(mutex_);
    changed_.Wait(mutex_, [this]() RHEO_NO_THREAD_SAFETY_ANALYSIS {
      return num_borrowed_ == 0 && open_.empty();
    });
  }
  for (const auto& queue : idle_) {
    queue->queue.Shutdown();
    RunAll(queue->queue);
  }
}

grpc::CompletionQueue& CallQueues::Shared() {
  shared_->Start();
  return shared_->queue();
}

void CallQueues::RunElsewhere(ThreadPool::Task work) {
  MutexLock lock(mutex_);
  if (copier_ == nullptr) {
    copier_ =
        std::make_unique<ThreadPool>(ThreadPoolOptions{.name = "rpc-copier", .num_threads = 1});
  }
  copier_->Schedule(std::move(work));
}

std::unique_ptr<CallerQueue> CallQueues::Borrow() {
  {
    MutexLock lock(mutex_);
    ++num_borrowed_;
    if (!idle_.empty()) {
      auto queue = std::move(idle_.back());
      idle_.pop_back();
      return queue;
    }
  }
  return std::make_unique<CallerQueue>();
}

void CallQueues::GiveBack(std::unique_ptr<CallerQueue> queue) {
  MutexLock lock(mutex_);
  idle_.push_back(std::move(queue));
  --num_borrowed_;
  if (stopped_) changed_.NotifyAll();
}

bool CallQueues::Open(grpc::ClientContext& call) {
  MutexLock lock(mutex_);
  if (stopped_) return false;
  open_.insert(&call);
  return true;
}

void CallQueues::Closed(grpc::ClientContext& call) {
  MutexLock lock(mutex_);
  open_.erase(&call);
  if (stopped_ && open_.empty()) changed_.NotifyAll();
}

void CallQueues::Shutdown() {
  MutexLock lock(mutex_);
  stopped_ = true;
  for (grpc::ClientContext* call : open_) call->TryCancel();
}

}  // namespace rheo::rpc
