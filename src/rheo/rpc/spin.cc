#include "rheo/rpc/spin.h"

#include <sched.h>

#include <chrono>

#include "rheo/rpc/completion_queue.h"

namespace rheo::rpc {
namespace {

// An offer of the core that takes longer than this, and brings nothing, went to somebody who
// computes.
constexpr std::chrono::microseconds kLongYield(300);

}  // namespace

bool SpinForNext(grpc::CompletionQueue& queue, SpinBudget& budget) {
  using Clock = std::chrono::steady_clock;
  const std::chrono::nanoseconds time = budget.Take();
  if (time.count() == 0) return false;
  const Clock::time_point start = Clock::now();
  Clock::time_point now = start;
  Clock::time_point before = start;
  bool came = RunIfReady(queue, now);
  while (!came && now - start < time && now - before < kLongYield) {
    before = now;
    sched_yield();
    came = RunIfReady(queue, now);
  }
  if (came) {
    budget.Hit(now - start);
  } else if (now - before >= kLongYield) {
    budget.Preempted();
  } else {
    budget.Miss();
  }
  return came;
}

}  // namespace rheo::rpc
