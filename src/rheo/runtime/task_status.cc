#include "rheo/runtime/task_status.h"

#include <fmt/format.h>

#include <chrono>
#include <vector>

#include "rheo/base/log.h"
#include "rheo/runtime/task.h"

namespace rheo::runtime {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kAskEvery(5);
constexpr std::chrono::seconds kLongWait(30);
// A thousand blocked steps are one piece of news, not a thousand.
constexpr size_t kMaxLines = 20;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string Describe(const worker::BlockedStep& blocked) {
  return fmt::format("step {} for {:.1f} s: {}", blocked.step.value, SecondsSince(blocked.since),
                     blocked.what);
}

}  // namespace

std::string DescribeTask(Task& task, const CallCounts& calls) {
  const worker::WorkerCounts counts = task.worker().counts();
  std::string text = fmt::format(
      "task {}\nsessions {}\nworker_sessions {}\ngraphs {}\nsteps {}\nopen_calls {}\n"
      "bytes_in_flight {}\nwaiting_calls {}\n",
      task.name(), task.master().num_sessions(), counts.sessions, counts.graphs, counts.steps,
      calls.open, calls.bytes_in_flight, calls.waiting);
  for (const worker::BlockedStep& blocked : task.worker().BlockedSteps()) {
    text += fmt::format("blocked {}\n", Describe(blocked));
  }
  return text;
}

BlockedStepLog::BlockedStepLog(const worker::Worker& worker, TimerQueue& timers)
    : worker_(worker), timers_(timers) {
  Schedule();
}

void BlockedStepLog::Schedule() {
  timers_.Add(Clock::now() + kAskEvery, [this] {
    Look();
    Schedule();
  });
}

void BlockedStepLog::Look() {
  std::set<std::pair<int64_t, std::string>> still;
  size_t num_new = 0;
  for (const worker::BlockedStep& blocked : worker_.BlockedSteps()) {
    if (Clock::now() - blocked.since < kLongWait) continue;
    std::pair<int64_t, std::string> key(blocked.step.value, blocked.what);
    const bool is_new = !logged_.contains(key);
    if (is_new && ++num_new <= kMaxLines) {
      RHEO_LOG(Warning, "waiting: {}", Describe(blocked));
    }
    still.insert(std::move(key));
  }
  if (num_new > kMaxLines) RHEO_LOG(Warning, "waiting: {} more steps", num_new - kMaxLines);
  logged_ = std::move(still);
}

}  // namespace rheo::runtime
