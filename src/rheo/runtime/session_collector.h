// SessionCollector: drops the sessions of masters that are gone; see worker/master_watch.h.
#ifndef RHEO_RUNTIME_SESSION_COLLECTOR_H_
#define RHEO_RUNTIME_SESSION_COLLECTOR_H_

#include <chrono>

#include "rheo/async/timer.h"
#include "rheo/worker/master_watch.h"
#include "rheo/worker/worker.h"

namespace rheo::runtime {

class SessionCollector {
 public:
  // `worker` outlives this object, and this object `timers`. Precondition: patience > 0.
  SessionCollector(worker::Worker& worker, worker::MasterWatch::FindTask find,
                   std::chrono::milliseconds patience, TimerQueue& timers);

 private:
  void Schedule();
  void Look();

  worker::Worker& worker_;
  const std::chrono::milliseconds look_every_;
  worker::MasterWatch watch_;  // of the timers' thread
  TimerQueue& timers_;
};

}  // namespace rheo::runtime

#endif  // RHEO_RUNTIME_SESSION_COLLECTOR_H_
