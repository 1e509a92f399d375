#include "rheo/master/call_guard.h"

#include <utility>

namespace rheo::master {

CallGuard::CallGuard(TimerQueue& timers, std::string what, Why why, DoneCallback done)
    : timers_(timers), what_(std::move(what)), why_(std::move(why)), done_(std::move(done)) {}

std::shared_ptr<CallGuard> CallGuard::Start(TimerQueue& timers, const service::Call& call,
                                            service::Deadline answer_by, std::string what, Why why,
                                            DoneCallback done) {
  auto guard =
      std::make_shared<CallGuard>(timers, std::move(what), std::move(why), std::move(done));
  const std::weak_ptr<CallGuard> weak = guard;
  const StopToken stop = call.stop;  // once the guard may answer, the call may be gone
  if (answer_by) {
    MutexLock lock(guard->mutex_);
    guard->timer_ = timers.Add(*answer_by, [weak] {
      if (auto self = weak.lock()) {
        self->Answer(DeadlineExceeded("{} did not finish in time{}", self->what_, self->why_()));
      }
    });
  }
  if (stop.stop_possible()) {
    guard->stop_.emplace(stop, [weak] {
      if (auto self = weak.lock()) {
        self->Answer(Cancelled("{} was cancelled by its caller", self->what_));
      }
    });
  }
  return guard;
}

DoneCallback CallGuard::Take() {
  DoneCallback done;
  std::optional<TimerQueue::Id> timer;
  {
    MutexLock lock(mutex_);
    done = std::exchange(done_, nullptr);
    timer = std::exchange(timer_, std::nullopt);
  }
  if (timer) timers_.Cancel(*timer);
  return done;
}

void CallGuard::Answer(const Status& status) {
  if (DoneCallback done = Take()) done(status);
}

}  // namespace rheo::master
