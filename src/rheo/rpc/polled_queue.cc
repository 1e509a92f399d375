#include "rheo/rpc/polled_queue.h"

#include <algorithm>
#include <utility>

#include "rheo/rpc/completion_queue.h"
#include "rheo/rpc/spin.h"

namespace rheo::rpc {

PolledQueue::PolledQueue(std::unique_ptr<grpc::CompletionQueue> queue, std::string thread_name,
                         int num_pollers)
    : queue_(std::move(queue)),
      thread_name_(std::move(thread_name)),
      num_pollers_(std::max(1, num_pollers)) {}

PolledQueue::~PolledQueue() {
  queue_->Shutdown();
  std::unique_ptr<ThreadPool> pollers;
  {
    MutexLock lock(mutex_);
    pollers = std::move(pollers_);
  }
  pollers.reset();
  RunAll(*queue_);  // when they never ran
}

void PolledQueue::Start() {
  MutexLock lock(mutex_);
  if (pollers_ != nullptr) return;
  pollers_ = std::make_unique<ThreadPool>(
      ThreadPoolOptions{.name = thread_name_, .num_threads = num_pollers_});
  for (int i = 0; i < num_pollers_; ++i) {
    pollers_->Schedule([this] { Poll(); });
  }
}

void PolledQueue::Poll() {
  SpinBudget answers;
  // A client of another language takes longer to come back than a task to answer.
  SpinBudget requests(std::chrono::microseconds(300), std::chrono::microseconds(400));
  while (true) {
    const Expected expected = expected_.load(std::memory_order_relaxed);
    if (expected != Expected::kNothing) {
      expected_.store(Expected::kNothing, std::memory_order_relaxed);
      SpinBudget& budget = expected == Expected::kAnswer ? answers : requests;
      if (SpinForNext(*queue_, budget)) continue;
    }
    if (!RunNext(*queue_)) return;
  }
}

}  // namespace rheo::rpc
