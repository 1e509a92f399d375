// WhenAll: starts several asynchronous calls and continues when each has answered.
#ifndef RHEO_MASTER_WHEN_ALL_H_
#define RHEO_MASTER_WHEN_ALL_H_

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "rheo/async/notification.h"
#include "rheo/base/status.h"

namespace rheo::master {

// Calls `start(i, done)` for each i < count on this thread; `all_done` runs once, with the statuses
// in order of i, on the thread of the last answer (on this one when count is 0).
inline void WhenAll(size_t count, absl::FunctionRef<void(size_t, DoneCallback)> start,
                    absl::AnyInvocable<void(std::vector<Status>)> all_done) {
  struct State {
    std::vector<Status> statuses;
    std::atomic<size_t> remaining;  // each answer writes its own status, the last one reads all
    absl::AnyInvocable<void(std::vector<Status>)> all_done;
  };
  if (count == 0) return all_done({});
  auto state = std::make_shared<State>();
  state->statuses.resize(count);
  state->remaining = count;
  state->all_done = std::move(all_done);
  for (size_t i = 0; i < count; ++i) {
    start(i, [state, i](Status status) {
      state->statuses[i] = std::move(status);
      if (state->remaining.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        state->all_done(std::move(state->statuses));
      }
    });
  }
}

}  // namespace rheo::master

#endif  // RHEO_MASTER_WHEN_ALL_H_
