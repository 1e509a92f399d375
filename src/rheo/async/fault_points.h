// FaultPoints: named places where a test makes a server slow, wrong or dead.
//
// A server has none unless it is started with a list of them, and then says so in its log. Each
// place calls Reach; a place that is not in the list goes on at once.
#ifndef RHEO_ASYNC_FAULT_POINTS_H_
#define RHEO_ASYNC_FAULT_POINTS_H_

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "rheo/async/timer.h"
#include "rheo/base/mutex.h"
#include "rheo/base/status.h"

namespace rheo {

// Thread-safe.
class FaultPoints {
 public:
  // A comma-separated list of POINT[@N]=ACTION: at the N-th time the point is reached, at every
  // time without N, the action
  //   delay:MS    goes on after MS milliseconds
  //   fail:CODE   goes on with an error of that code, e.g. UNAVAILABLE
  //   kill        ends the process as SIGKILL does
  // INVALID_ARGUMENT naming the entry that is wrong, or the point that does not exist.
  static StatusOr<std::unique_ptr<FaultPoints>> Parse(std::string_view spec);

  // run_graph, run_graph_answer, recv_tensor, recv_tensor_answer, accept, cancel
  static const std::vector<std::string_view>& Names();

  // Calls `go_on` once: with OK inside this call where the point does nothing, else as its action
  // says, perhaps on a timer's thread.
  void Reach(std::string_view point, absl::AnyInvocable<void(Status)> go_on);

 private:
  struct Entry {
    std::string point;
    int only_time = 0;  // 0: every time
    std::chrono::milliseconds delay{0};
    Status error;
    bool kills = false;
    int times_reached = 0;
  };
  FaultPoints() = default;
  static StatusOr<Entry> ParseEntry(std::string_view text);

  Mutex mutex_;
  std::vector<Entry> entries_ RHEO_GUARDED_BY(mutex_);
  TimerQueue timers_;
};

}  // namespace rheo

#endif  // RHEO_ASYNC_FAULT_POINTS_H_
