#include "rheo/rpc/spin.h"

#include <sys/resource.h>

#include <chrono>

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

bool SpinForNext(grpc::CompletionQueue& queue, SpinBudget& budget) {
  using Clock = std::chrono::steady_clock;
  const std::chrono::nanoseconds time = budget.Take();
  if (time.count() == 0) return false;
  const int64_t switches = InvoluntarySwitches();
  const Clock::time_point start = Clock::now();
  Clock::time_point now = start;
  bool came = false;
  while (!came && now - start < time) {
    came = RunIfReady(queue, now);
  }
  if (came) {
    budget.Hit(now - start);
  } else if (InvoluntarySwitches() != switches) {
    budget.Preempted();
  } else {
    budget.Miss();
  }
  return came;
}

}  // namespace rheo::rpc
