// Registration: makes the parts of a step known to their workers.
#ifndef RHEO_MASTER_REGISTRATION_H_
#define RHEO_MASTER_REGISTRATION_H_

#include <memory>

#include "absl/functional/any_invocable.h"
#include "rheo/async/stop.h"
#include "rheo/master/compiled_step.h"

namespace rheo::master {

using CompiledResult = StatusOr<std::shared_ptr<const CompiledStep>>;

// Sends all RegisterGraph requests at once and calls `done` with the finished step when all have
// answered. When one fails, its error (aggregated as those of a run) is the result and the parts
// that did register are deregistered. `stop` ends the calls in flight.
void RegisterParts(PreparedStep prepared, StopToken stop,
                   absl::AnyInvocable<void(CompiledResult)> done);

// Forgets the parts of `step` on the workers, without waiting.
void DeregisterParts(const CompiledStep& step);

}  // namespace rheo::master

#endif  // RHEO_MASTER_REGISTRATION_H_
