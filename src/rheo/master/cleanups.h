// Cleanups: telling workers what they need not keep any longer, in such a way that they learn it.
//
// Nobody waits for a clean-up, and a worker that cannot be reached does not fail what is done with.
// But one that was frozen or cut off comes back with all it had: a step that still takes elements
// from queues, a session's graphs and variables. So what did not arrive is told again when the
// worker can be reached, as long as the master lives.
#ifndef RHEO_MASTER_CLEANUPS_H_
#define RHEO_MASTER_CLEANUPS_H_

#include <chrono>
#include <deque>
#include <functional>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "rheo/async/timer.h"
#include "rheo/base/ids.h"
#include "rheo/base/mutex.h"
#include "rheo/service/worker_service.h"

namespace rheo::master {

// Thread-safe.
class Cleanups : public std::enable_shared_from_this<Cleanups> {
 public:
  using Worker = std::shared_ptr<service::WorkerService>;
  // What is kept for a worker that cannot be reached, and how many such workers; beyond that the
  // oldest is forgotten, and further workers are told once only.
  static constexpr size_t kMaxOwed = 10'000;
  static constexpr size_t kMaxWorkers = 1'000;

  // `timers` lives until Stop() or the end. A worker is tried again after `first_wait`, then after
  // twice as long each time, up to `longest_wait`.
  explicit Cleanups(TimerQueue& timers,
                    std::chrono::milliseconds first_wait = std::chrono::seconds(1),
                    std::chrono::milliseconds longest_wait = std::chrono::seconds(8))
      : timers_(timers), first_wait_(first_wait), longest_wait_(longest_wait) {}

  // CleanupGraph.
  void EndStep(const Worker& worker, StepId step);
  // DeregisterGraph.
  void ForgetGraph(const Worker& worker, const SessionHandle& session, const GraphHandle& graph);
  // DeleteWorkerSession; `first_answer` gets the outcome of the first try.
  void EndSession(const Worker& worker, const SessionHandle& session, DoneCallback first_answer);

  // Nothing is tried again from here on.
  void Stop();

 private:
  // One clean-up, which can be called again and again.
  using Send = std::function<void(service::WorkerService& worker, DoneCallback done)>;
  struct Line {
    Worker worker;
    std::deque<Send> owed;
    std::chrono::milliseconds wait;
    bool is_waiting = false;  // a timer runs
  };

  void Start(const Worker& worker, Send send, DoneCallback first_answer);
  void Owe(const Worker& worker, Send send);
  void Wait(Line& line) RHEO_REQUIRES(mutex_);
  void SendFirst(service::WorkerService* worker);

  TimerQueue& timers_;
  const std::chrono::milliseconds first_wait_;
  const std::chrono::milliseconds longest_wait_;
  Mutex mutex_;
  bool stopped_ RHEO_GUARDED_BY(mutex_) = false;
  absl::flat_hash_map<service::WorkerService*, Line> lines_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::master

#endif  // RHEO_MASTER_CLEANUPS_H_
