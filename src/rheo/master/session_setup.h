// SetUpSession: all that CreateSession does before there is a session to speak of.
#ifndef RHEO_MASTER_SESSION_SETUP_H_
#define RHEO_MASTER_SESSION_SETUP_H_

#include <memory>

#include "absl/functional/any_invocable.h"
#include "rheo/master/master_session.h"

namespace rheo::master {

// Finds the devices, places the graph and creates the worker sessions. `done` runs once, on any
// thread, with a session that nobody knows yet; on error nothing is left on any worker. Never
// UNAVAILABLE, which clients would retry at once. `stop` ends it early beside the call's own.
//
// `env`, `timers`, the request and the call outlive the callback.
void SetUpSession(const MasterEnv& env, TimerQueue& timers, std::shared_ptr<Cleanups> cleanups,
                  const service::CreateSessionRequest& request, const service::Call& call,
                  StopToken stop,
                  absl::AnyInvocable<void(StatusOr<std::shared_ptr<MasterSession>>)> done);

}  // namespace rheo::master

#endif  // RHEO_MASTER_SESSION_SETUP_H_
