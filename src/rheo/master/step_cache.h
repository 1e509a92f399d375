// StepCache: the compiled steps of a session, each compiled once however many callers ask.
#ifndef RHEO_MASTER_STEP_CACHE_H_
#define RHEO_MASTER_STEP_CACHE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "rheo/base/mutex.h"
#include "rheo/master/registration.h"
#include "rheo/master/step_names.h"

namespace rheo::master {

// How the values of one way of writing a step travel to and from the compiled step.
struct StepRoute {
  struct Fetch {
    std::string name;  // as the caller wrote it
    int slot = 0;      // in the step's signature
  };
  std::shared_ptr<const CompiledStep> step;
  std::vector<int> feed_slots;  // by feed
  std::vector<Fetch> fetches;   // each distinct name once
};
std::shared_ptr<const StepRoute> MakeRoute(const StepNames& names,
                                           std::shared_ptr<const CompiledStep> step);

// Thread-safe.
class StepCache {
 public:
  using Ready = absl::AnyInvocable<void(CompiledResult)>;

  // The route of an earlier request that was written the same way; nullptr when there is none.
  std::shared_ptr<const StepRoute> FindRoute(const service::RunStepRequest& request) const;
  std::shared_ptr<const StepRoute> AddRoute(const StepNames& names,
                                            std::shared_ptr<const CompiledStep> step);

  // Calls `ready` with the compiled step: at once when it is there, otherwise when it is built. The
  // first caller's `build` is called to build it, the others' are dropped. Errors go to everyone
  // who waits and are not kept: the next caller builds again.
  void Get(const StepSignature& signature, absl::AnyInvocable<void(Ready)> build, Ready ready);

  void Clear();

 private:
  struct Entry {
    std::shared_ptr<const CompiledStep> step;  // null while it is being built
    std::vector<Ready> waiters;
  };
  void OnBuilt(const StepSignature& signature, const CompiledResult& result);

  mutable Mutex mutex_;
  absl::flat_hash_map<StepSignature, Entry> entries_ RHEO_GUARDED_BY(mutex_);
  absl::flat_hash_map<StepNames, std::shared_ptr<const StepRoute>, StepNamesHash, StepNamesEqual>
      routes_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::master

#endif  // RHEO_MASTER_STEP_CACHE_H_
