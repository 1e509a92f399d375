// PeerWatch: asks a task again and again whether it is still there, while a step waits for it.
//
// For TensorFlow's tasks: links to Rheo tasks are watched by the transport, but TensorFlow's
// servers do not stand its pings.
#ifndef RHEO_MASTER_PEER_WATCH_H_
#define RHEO_MASTER_PEER_WATCH_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/functional/any_invocable.h"
#include "rheo/async/stop.h"
#include "rheo/async/timer.h"
#include "rheo/base/mutex.h"
#include "rheo/service/worker_service.h"

namespace rheo::master {

struct PeerWatchTiming {
  std::chrono::milliseconds between{10'000};  // questions
  std::chrono::milliseconds patience{10'000};
};

// Thread-safe.
class PeerWatch : public std::enable_shared_from_this<PeerWatch> {
 public:
  // `timers` outlives the watch's end. Every so often calls GetStatus; when that fails, or is not
  // answered in time, calls `lost` once with UNAVAILABLE naming the task, and is over.
  static std::shared_ptr<PeerWatch> Start(TimerQueue& timers, std::string task,
                                          std::shared_ptr<service::WorkerService> worker,
                                          absl::AnyInvocable<void(Status)> lost,
                                          PeerWatchTiming timing = {});
  PeerWatch(TimerQueue& timers, std::string task, std::shared_ptr<service::WorkerService> worker,
            absl::AnyInvocable<void(Status)> lost, PeerWatchTiming timing);

  // `lost` will not be called any more, unless it is being called.
  void Stop();

 private:
  // One question.
  struct Question {
    service::GetStatusRequest request;
    service::GetStatusResponse response;
    service::Call call;
  };
  void Schedule();
  void Ask();
  void OnAnswer(const Status& status);

  TimerQueue& timers_;
  const std::string task_;
  const std::shared_ptr<service::WorkerService> worker_;
  const PeerWatchTiming timing_;
  StopSource stop_;
  Mutex mutex_;
  absl::AnyInvocable<void(Status)> lost_ RHEO_GUARDED_BY(mutex_);  // null: over
  std::optional<TimerQueue::Id> timer_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::master

#endif  // RHEO_MASTER_PEER_WATCH_H_
