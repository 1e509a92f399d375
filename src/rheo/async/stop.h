// Stop tokens: how a call learns that its caller no longer wants it.
//
// These are the standard's types under our names. A StopCallback may run on any thread, also inside
// its own constructor when stop was already requested; it must only flag and wake, never call out
// under a lock. Its destructor waits until a running callback has returned.
#ifndef RHEO_ASYNC_STOP_H_
#define RHEO_ASYNC_STOP_H_

#include <stop_token>

#include "absl/functional/any_invocable.h"

namespace rheo {

using StopSource = std::stop_source;
using StopToken = std::stop_token;
using StopCallback = std::stop_callback<absl::AnyInvocable<void()>>;

}  // namespace rheo

#endif  // RHEO_ASYNC_STOP_H_
