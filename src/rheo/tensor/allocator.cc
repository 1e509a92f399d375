#include "rheo/tensor/allocator.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <new>
#include <vector>

#include "rheo/base/mutex.h"
#include "rheo/base/sanitizers.h"

namespace rheo {
namespace {

// Under AddressSanitizer every block comes from malloc, so that misuse of a freed one is seen.
#ifdef RHEO_ADDRESS_SANITIZER
constexpr bool kCaching = false;
#else
constexpr bool kCaching = true;
#endif

// Size classes: powers of two with four steps between them, from 64 bytes to 1 GiB. Larger blocks
// go to the system each time.
constexpr int kStepBits = 2;
constexpr size_t kMinBlock = 64;
constexpr size_t kMaxCachedBlock = size_t{1} << 30;
constexpr size_t kHugePage = size_t{2} << 20;
// A thread keeps this many free blocks of each small class, without a lock.
constexpr size_t kThreadCacheBlocks = 32;
constexpr size_t kMaxThreadCachedBlock = 4096;

int ClassOf(size_t num_bytes) {
  if (num_bytes <= kMinBlock) return 0;
  const int log = std::bit_width(num_bytes - 1);  // 2^(log-1) < n <= 2^log
  const size_t base = size_t{1} << (log - 1);
  const size_t step = base >> kStepBits;
  const auto within = static_cast<int>((num_bytes - base + step - 1) / step);  // 1..4
  return (log - 7) * (1 << kStepBits) + within;
}

constexpr size_t SizeOfClass(int index) {
  if (index == 0) return kMinBlock;
  const int octave = (index - 1) >> kStepBits;
  const size_t base = kMinBlock << octave;
  return base + (base >> kStepBits) * static_cast<size_t>(((index - 1) & 3) + 1);
}

constexpr int kNumClasses = 4 * 24 + 1;
static_assert(SizeOfClass(kNumClasses - 1) == kMaxCachedBlock);

// Classes whose size is no multiple of 64 are rounded up so that blocks stay aligned.
size_t RoundedSize(int index) { return (SizeOfClass(index) + 63) & ~size_t{63}; }

void* SystemAllocate(size_t num_bytes) {
  if (num_bytes < kHugePage)
    return std::aligned_alloc(kTensorAlignment, (num_bytes + 63) & ~size_t{63});
  void* block = std::aligned_alloc(kHugePage, (num_bytes + kHugePage - 1) & ~(kHugePage - 1));
  // Advice only: without huge pages the block works as well, slower on first touch.
  if (block != nullptr) madvise(block, num_bytes, MADV_HUGEPAGE);
  return block;
}

// Trivially destructible, so it can still be read when the thread's other objects are gone.
thread_local bool thread_cache_gone = false;

class CachingHostAllocator final : public Allocator {
 public:
  std::string_view name() const override { return "host"; }

  void* Allocate(size_t num_bytes) override {
    if (!kCaching || num_bytes > kMaxCachedBlock) {
      void* block = SystemAllocate(num_bytes);
      if (block != nullptr) Count(static_cast<int64_t>(num_bytes));
      return block;
    }
    const int index = ClassOf(num_bytes);
    void* block = nullptr;
    if (SizeOfClass(index) <= kMaxThreadCachedBlock) {
      ThreadCache* cache = thread_cache();
      if (cache != nullptr && !cache->free[static_cast<size_t>(index)].empty()) {
        block = cache->free[static_cast<size_t>(index)].back();
        cache->free[static_cast<size_t>(index)].pop_back();
      }
    }
    if (block == nullptr) {
      Bin& bin = bins_[static_cast<size_t>(index)];
      MutexLock lock(bin.mutex);
      if (!bin.free.empty()) {
        block = bin.free.back();
        bin.free.pop_back();
      }
    }
    if (block == nullptr) block = SystemAllocate(RoundedSize(index));
    if (block != nullptr) Count(static_cast<int64_t>(num_bytes));
    return block;
  }

  void Deallocate(void* block, size_t num_bytes) override {
    in_use_.fetch_sub(static_cast<int64_t>(num_bytes), std::memory_order_relaxed);
    if (!kCaching || num_bytes > kMaxCachedBlock) {
      std::free(block);
      return;
    }
    const int index = ClassOf(num_bytes);
    if (SizeOfClass(index) <= kMaxThreadCachedBlock) {
      ThreadCache* cache = thread_cache();
      if (cache != nullptr && cache->free[static_cast<size_t>(index)].size() < kThreadCacheBlocks) {
        cache->free[static_cast<size_t>(index)].push_back(block);
        return;
      }
    }
    Bin& bin = bins_[static_cast<size_t>(index)];
    MutexLock lock(bin.mutex);
    bin.free.push_back(block);
  }

  AllocatorStats stats() const override {
    AllocatorStats stats;
    stats.num_allocations = count_.load(std::memory_order_relaxed);
    stats.bytes_in_use = in_use_.load(std::memory_order_relaxed);
    stats.peak_bytes_in_use = peak_.load(std::memory_order_relaxed);
    stats.bytes_allocated = total_.load(std::memory_order_relaxed);
    return stats;
  }

 private:
  struct Bin {
    Mutex mutex;
    std::vector<void*> free RHEO_GUARDED_BY(mutex);
  };

  // Returns a thread's blocks to the shared bins when the thread ends.
  struct ThreadCache {
    std::array<std::vector<void*>, kNumClasses> free;
    CachingHostAllocator* owner = nullptr;
    ~ThreadCache() {
      thread_cache_gone = true;
      if (owner == nullptr) return;
      for (size_t i = 0; i < free.size(); ++i) {
        MutexLock lock(owner->bins_[i].mutex);
        std::vector<void*>& shared = owner->bins_[i].free;
        shared.insert(shared.end(), free[i].begin(), free[i].end());
      }
    }
  };

  // nullptr while the thread is ending and its cache is gone already.
  ThreadCache* thread_cache() {
    if (thread_cache_gone) return nullptr;
    thread_local ThreadCache cache;
    cache.owner = this;
    return &cache;
  }

  void Count(int64_t num_bytes) {
    count_.fetch_add(1, std::memory_order_relaxed);
    total_.fetch_add(num_bytes, std::memory_order_relaxed);
    const int64_t now = in_use_.fetch_add(num_bytes, std::memory_order_relaxed) + num_bytes;
    int64_t peak = peak_.load(std::memory_order_relaxed);
    while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
  }

  std::array<Bin, kNumClasses> bins_;
  // Statistics only, hence relaxed.
  std::atomic<int64_t> count_{0};
  std::atomic<int64_t> total_{0};
  std::atomic<int64_t> in_use_{0};
  std::atomic<int64_t> peak_{0};
};

}  // namespace

Allocator& HostAllocator() {
  // Leaked on purpose: tensors may outlive every static object.
  static auto* const allocator = new CachingHostAllocator();
  return *allocator;
}

}  // namespace rheo
