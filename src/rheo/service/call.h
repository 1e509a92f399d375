// Call: the circumstances of one service call, the same whether it crosses the network or not.
#ifndef RHEO_SERVICE_CALL_H_
#define RHEO_SERVICE_CALL_H_

#include <chrono>
#include <optional>

#include "rheo/async/notification.h"
#include "rheo/async/stop.h"
#include "rheo/base/status.h"

namespace rheo::service {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

// `timeout` after `now`; none for a timeout of zero or less, or of a century or more.
inline bool IsDeadline(std::chrono::milliseconds timeout) {
  constexpr std::chrono::milliseconds kCentury = std::chrono::hours(24 * 366 * 100);
  return timeout.count() > 0 && timeout < kCentury;
}
inline Deadline DeadlineAfter(std::chrono::milliseconds timeout,
                              std::chrono::steady_clock::time_point now) {
  return IsDeadline(timeout) ? Deadline(now + timeout) : std::nullopt;
}
inline Deadline DeadlineAfter(std::chrono::milliseconds timeout) {
  return IsDeadline(timeout) ? DeadlineAfter(timeout, std::chrono::steady_clock::now())
                             : std::nullopt;
}

// Every method of the services takes a request, a response to fill, a Call and a DoneCallback. The
// request, the response and the Call stay alive and untouched by the caller until `done` ran; the
// callee calls `done` exactly once, perhaps inside the method, on any thread. After the stop token
// fires or the deadline passes the callee finishes promptly, with CANCELLED or DEADLINE_EXCEEDED.
struct Call {
  StopToken stop;
  Deadline deadline;
  // The caller will do nothing but wait: the callee may use the calling thread for as long as the
  // call takes.
  bool caller_waits = false;
  // Waits for the peer to come up instead of failing at once with UNAVAILABLE.
  bool wait_for_ready = false;
};

// Runs an asynchronous method to its end on this thread:
//   Status s = Wait(call, [&](DoneCallback done) { service.Reset(request, &response, call,
//   std::move(done)); });
template <typename Start>
Status Wait(Call& call, Start start) {
  call.caller_waits = true;
  struct State {
    Notification done;
    Status status;
  } state;
  start(DoneCallback([&state](Status s) {
    state.status = std::move(s);
    state.done.Notify();
  }));
  state.done.Wait();
  return std::move(state.status);
}

}  // namespace rheo::service

#endif  // RHEO_SERVICE_CALL_H_
