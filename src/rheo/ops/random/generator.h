// The place of a stateful random op in its sequence.
#ifndef RHEO_OPS_RANDOM_GENERATOR_H_
#define RHEO_OPS_RANDOM_GENERATOR_H_

#include "rheo/base/ids.h"
#include "rheo/base/mutex.h"
#include "rheo/kernel/kernel.h"
#include "rheo/ops/random/philox.h"

namespace rheo::ops {

// Begins where attrs seed and seed2 say; when both are 0, anywhere.
inline StatusOr<Philox> PhiloxOfSeeds(const kernel::KernelInit& init) {
  RHEO_ASSIGN_OR_RETURN(const int64_t seed, init.attrs.Get<int64_t>("seed"));
  RHEO_ASSIGN_OR_RETURN(const int64_t seed2, init.attrs.Get<int64_t>("seed2"));
  if (seed == 0 && seed2 == 0) return Philox(RandomUint64(), 0, RandomUint64());
  return Philox(static_cast<uint64_t>(seed), 0, static_cast<uint64_t>(seed2));
}

// Thread-safe: steps that run a kernel at the same time get parts of the sequence that do not meet.
class Generator {
 public:
  explicit Generator(Philox start) : next_(start) {}

  // The next `blocks` blocks, which belong to the caller.
  Philox Reserve(uint64_t blocks) {
    MutexLock lock(mutex_);
    const Philox reserved = next_;
    next_.Skip(blocks);
    return reserved;
  }

 private:
  Mutex mutex_;
  Philox next_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::ops

#endif  // RHEO_OPS_RANDOM_GENERATOR_H_
