// Registration: makes the parts of a step known to their workers.
#ifndef RHEO_MASTER_REGISTRATION_H_
#define RHEO_MASTER_REGISTRATION_H_

#include <memory>
#include <set>
#include <string>

#include "absl/functional/any_invocable.h"
#include "rheo/async/stop.h"
#include "rheo/base/mutex.h"
#include "rheo/master/compiled_step.h"

namespace rheo::master {

using CompiledResult = StatusOr<std::shared_ptr<const CompiledStep>>;

// The tasks that have not answered a registration yet. Thread-safe.
class AwaitedTasks {
 public:
  void Add(const std::string& task);
  void Remove(const std::string& task);
  // "; no answer yet from TASK, TASK", each once and in order; nothing when there are none.
  std::string Describe() const;

 private:
  mutable Mutex mutex_;
  std::multiset<std::string> tasks_ RHEO_GUARDED_BY(mutex_);
};

// Sends all RegisterGraph requests at once and calls `done` with the finished step when all have
// answered. When one fails, its error (aggregated as those of a run) is the result and the parts
// that did register are deregistered. `stop` ends the calls in flight. Who has not answered stands
// in `awaited`.
void RegisterParts(PreparedStep prepared, StopToken stop, std::shared_ptr<AwaitedTasks> awaited,
                   absl::AnyInvocable<void(CompiledResult)> done);

// Forgets the parts of `step` on the workers, without waiting.
void DeregisterParts(const CompiledStep& step);

}  // namespace rheo::master

#endif  // RHEO_MASTER_REGISTRATION_H_
