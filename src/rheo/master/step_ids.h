// Ids of steps with collectives, which the leader of collectives says first (wire.md 21).
#ifndef RHEO_MASTER_STEP_IDS_H_
#define RHEO_MASTER_STEP_IDS_H_

#include "absl/functional/any_invocable.h"
#include "rheo/async/stop.h"
#include "rheo/async/timer.h"
#include "rheo/master/master.h"

namespace rheo::master {

// Takes the id of a step that starts now, from this task's sequence after asking the leader where
// that is needed. `done` runs once, inside this call when nobody is asked; `stop` and `deadline`
// end the asking, and so does a leader that does not answer for half a minute. A leader that names
// the step that failed here last is asked again for a moment: that step may be ending there. The id
// is given back when the step is over. `env` and `timers` outlive the asking.
void TakeStepId(const MasterEnv& env, TimerQueue& timers, int64_t graph_key, StopToken stop,
                service::Deadline deadline, absl::AnyInvocable<void(StatusOr<StepId>)> done);

// The step of that id has ended. When it failed, all other tasks of the cluster are told, without
// waiting for them: their parts of it end at once, and no master begins it any more.
void ReturnStepId(const MasterEnv& env, int64_t graph_key, StepId step, const Status& status);

}  // namespace rheo::master

#endif  // RHEO_MASTER_STEP_IDS_H_
