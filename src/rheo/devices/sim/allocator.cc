#include "rheo/devices/sim/allocator.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace rheo::devices::sim {
namespace {

size_t RoundUp(size_t num_bytes) {
  return (num_bytes + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
}

}  // namespace

SimAllocator::SimAllocator(std::string name, const SimMemory& memory)
    : name_(std::move(name)), memory_(memory) {
  MutexLock lock(mutex_);
  free_[0] = memory.num_bytes();
  stats_.bytes_limit = static_cast<int64_t>(memory.num_bytes());
}

void* SimAllocator::Allocate(size_t num_bytes) {
  if (num_bytes > memory_.num_bytes()) return nullptr;
  const size_t length = RoundUp(num_bytes);
  MutexLock lock(mutex_);
  const auto fit = std::find_if(free_.begin(), free_.end(),
                                [length](const auto& range) { return range.second >= length; });
  if (fit == free_.end()) return nullptr;
  const auto [offset, available] = *fit;
  free_.erase(fit);
  if (available > length) free_[offset + length] = available - length;
  ++stats_.num_allocations;
  stats_.bytes_in_use += static_cast<int64_t>(length);
  stats_.bytes_allocated += static_cast<int64_t>(length);
  stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
  return memory_.Address(offset);
}

void SimAllocator::Deallocate(void* block, size_t num_bytes) {
  size_t offset = memory_.Offset(block);
  size_t length = RoundUp(num_bytes);
  MutexLock lock(mutex_);
  stats_.bytes_in_use -= static_cast<int64_t>(length);
  const auto after = free_.find(offset + length);
  if (after != free_.end()) {
    length += after->second;
    free_.erase(after);
  }
  const auto next = free_.lower_bound(offset);
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      before->second += length;
      return;
    }
  }
  free_[offset] = length;
}

AllocatorStats SimAllocator::stats() const {
  MutexLock lock(mutex_);
  return stats_;
}

}  // namespace rheo::devices::sim
