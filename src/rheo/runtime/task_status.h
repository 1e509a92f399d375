// What a task does right now, as a text; and a line in the log for each step that waits for long.
#ifndef RHEO_RUNTIME_TASK_STATUS_H_
#define RHEO_RUNTIME_TASK_STATUS_H_

#include <set>
#include <string>
#include <utility>

#include "rheo/async/timer.h"
#include "rheo/worker/worker.h"

namespace rheo::runtime {

class Task;

// Lines "name value", then one line for each thing that a step waits for:
//   task /job:ps/replica:0/task:0
//   sessions 0            as master
//   worker_sessions 1
//   graphs 2
//   steps 1
//   open_calls 1          this one not counted
//   bytes_in_flight 4711  requests of clients that are not answered
//   waiting_calls 0       not read yet, because of the limit of bytes in flight
//   blocked step 4711 for 31.2 s: d = QueueDequeueV2(q)
struct CallCounts {
  int open = 0;
  int64_t bytes_in_flight = 0;
  int waiting = 0;
};
std::string DescribeTask(Task& task, const CallCounts& calls);

// Logs what a step has waited for since 30 s, once, as long as it lives.
class BlockedStepLog {
 public:
  // `worker` outlives this object, and this object `timers`.
  BlockedStepLog(const worker::Worker& worker, TimerQueue& timers);

 private:
  void Schedule();
  void Look();

  const worker::Worker& worker_;
  // Step and what it waits for; of the timer's thread.
  std::set<std::pair<int64_t, std::string>> logged_;
  TimerQueue& timers_;
};

}  // namespace rheo::runtime

#endif  // RHEO_RUNTIME_TASK_STATUS_H_
