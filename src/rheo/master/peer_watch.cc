#include "rheo/master/peer_watch.h"

#include <utility>

namespace rheo::master {

std::shared_ptr<PeerWatch> PeerWatch::Start(TimerQueue& timers, std::string task,
                                            std::shared_ptr<service::WorkerService> worker,
                                            absl::AnyInvocable<void(Status)> lost,
                                            PeerWatchTiming timing) {
  auto watch = std::make_shared<PeerWatch>(timers, std::move(task), std::move(worker),
                                           std::move(lost), timing);
  watch->Schedule();
  return watch;
}

PeerWatch::PeerWatch(TimerQueue& timers, std::string task,
                     std::shared_ptr<service::WorkerService> worker,
                     absl::AnyInvocable<void(Status)> lost, PeerWatchTiming timing)
    : timers_(timers),
      task_(std::move(task)),
      worker_(std::move(worker)),
      timing_(timing),
      lost_(std::move(lost)) {}

void PeerWatch::Stop() {
  absl::AnyInvocable<void(Status)> dropped;  // destroyed without the lock
  std::optional<TimerQueue::Id> timer;
  {
    MutexLock lock(mutex_);
    dropped = std::exchange(lost_, nullptr);
    timer = std::exchange(timer_, std::nullopt);
  }
  if (timer) timers_.Cancel(*timer);
  stop_.request_stop();
}

void PeerWatch::Schedule() {
  MutexLock lock(mutex_);
  if (lost_ == nullptr) return;
  timer_ =
      timers_.Add(std::chrono::steady_clock::now() + timing_.between, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->Ask();
      });
}

void PeerWatch::Ask() {
  auto question = std::make_shared<Question>();
  question->call.stop = stop_.get_token();
  question->call.deadline = std::chrono::steady_clock::now() + timing_.patience;
  const Question& q = *question;
  worker_->GetStatus(
      q.request, &question->response, q.call,
      [self = shared_from_this(), question](const Status& status) { self->OnAnswer(status); });
}

// Whatever it says, a task that answers is there.
void PeerWatch::OnAnswer(const Status& status) {
  if (status.code() != StatusCode::kUnavailable && status.code() != StatusCode::kDeadlineExceeded) {
    return Schedule();
  }
  absl::AnyInvocable<void(Status)> lost;
  {
    MutexLock lock(mutex_);
    lost = std::exchange(lost_, nullptr);
  }
  if (lost == nullptr) return;
  lost(Unavailable("{} does not answer any more: {}", task_, Message(status)));
}

}  // namespace rheo::master
