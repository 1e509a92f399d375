#include "rheo/rpc/polled_queue.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "rheo/rpc/completion_queue.h"

namespace rheo::rpc {
namespace {

// How often this thread lost its core to another that was ready to run.
int64_t InvoluntarySwitches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

}  // namespace

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
  SpinBudget budget;
  while (true) {
    if (expected_.load(std::memory_order_relaxed) && Spin(budget)) continue;
    if (!RunNext(*queue_)) return;
  }
}

bool PolledQueue::Spin(SpinBudget& budget) {
  using Clock = std::chrono::steady_clock;
  expected_.store(false, std::memory_order_relaxed);
  const std::chrono::nanoseconds time = budget.Take();
  if (time.count() == 0) return false;
  const int64_t switches = InvoluntarySwitches();
  const Clock::time_point start = Clock::now();
  Clock::time_point now = start;
  bool came = false;
  while (!came && now - start < time) {
    came = RunIfReady(*queue_, now);
  }
  if (InvoluntarySwitches() != switches) {
    budget.Preempted();
  } else if (came) {
    budget.Hit(now - start);
  } else {
    budget.Miss();
  }
  return came;
}

}  // namespace rheo::rpc
