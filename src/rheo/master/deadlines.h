// When an answer must leave.
#ifndef RHEO_MASTER_DEADLINES_H_
#define RHEO_MASTER_DEADLINES_H_

#include <algorithm>
#include <chrono>

#include "rheo/service/call.h"

namespace rheo::master {

using Clock = std::chrono::steady_clock;

// Earlier than the caller's deadline by max(20 ms, 5 % of the time left), so that our answer
// arrives and not the client library's own; nullopt when the caller has no deadline.
inline service::Deadline AnswerBy(const service::Deadline& caller, Clock::time_point now) {
  if (!caller) return std::nullopt;
  const Clock::duration left = std::max(*caller - now, Clock::duration::zero());
  return *caller - std::max<Clock::duration>(std::chrono::milliseconds(20), left / 20);
}

// The earlier of both; nullopt when there is neither (see service::DeadlineAfter).
inline service::Deadline WithTimeout(service::Deadline deadline, int64_t timeout_ms,
                                     Clock::time_point now) {
  const service::Deadline end = service::DeadlineAfter(std::chrono::milliseconds(timeout_ms), now);
  return deadline && end ? std::min(*deadline, *end) : deadline ? deadline : end;
}

}  // namespace rheo::master

#endif  // RHEO_MASTER_DEADLINES_H_
