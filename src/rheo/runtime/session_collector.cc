#include "rheo/runtime/session_collector.h"

#include <algorithm>
#include <utility>

#include "rheo/base/log.h"

namespace rheo::runtime {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLookEvery(5000);

}  // namespace

SessionCollector::SessionCollector(worker::Worker& worker, worker::MasterWatch::FindTask find,
                                   std::chrono::milliseconds patience, TimerQueue& timers)
    : worker_(worker),
      look_every_(std::clamp<std::chrono::milliseconds>(patience / 10,
                                                        std::chrono::milliseconds(50), kLookEvery)),
      watch_(std::move(find), patience),
      timers_(timers) {
  Schedule();
}

void SessionCollector::Schedule() {
  timers_.Add(Clock::now() + look_every_, [this] {
    Look();
    Schedule();
  });
}

void SessionCollector::Look() {
  for (const worker::LostMaster& lost : watch_.Look(Clock::now(), worker_.ForeignMasters())) {
    const int num_dropped = worker_.DropSessionsOf(lost.task, lost.incarnation);
    RHEO_LOG(Warning, "{} session(s) of the master of {} are dropped: {}", num_dropped, lost.task,
             lost.why);
  }
}

}  // namespace rheo::runtime
