// SimAllocator: gives out a simulated accelerator's memory.
#ifndef RHEO_DEVICES_SIM_ALLOCATOR_H_
#define RHEO_DEVICES_SIM_ALLOCATOR_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "rheo/base/mutex.h"
#include "rheo/devices/sim/memory.h"
#include "rheo/tensor/allocator.h"

namespace rheo::devices::sim {

// First fit over free ranges, which grow together again when their neighbours are freed.
class SimAllocator final : public Allocator {
 public:
  // `memory` outlives this.
  SimAllocator(std::string name, const SimMemory& memory);

  std::string_view name() const override { return name_; }
  bool is_host_memory() const override { return false; }
  void* Allocate(size_t num_bytes) override;
  void Deallocate(void* block, size_t num_bytes) override;
  AllocatorStats stats() const override;

  // Where the bytes of what is given out really are.
  const SimMemory& memory() const { return memory_; }

 private:
  using FreeRanges = std::map<size_t, size_t>;  // offset → length

  const std::string name_;
  const SimMemory& memory_;
  mutable Mutex mutex_;
  FreeRanges free_ RHEO_GUARDED_BY(mutex_);
  AllocatorStats stats_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::devices::sim

#endif  // RHEO_DEVICES_SIM_ALLOCATOR_H_
