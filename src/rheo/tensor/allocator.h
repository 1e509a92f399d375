// Allocator: where the bytes of tensors come from.
#ifndef RHEO_TENSOR_ALLOCATOR_H_
#define RHEO_TENSOR_ALLOCATOR_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rheo {

// Every block starts at a multiple of this many bytes.
inline constexpr size_t kTensorAlignment = 64;

struct AllocatorStats {
  int64_t num_allocations = 0;  // since the start
  int64_t bytes_in_use = 0;
  int64_t peak_bytes_in_use = 0;
  int64_t bytes_allocated = 0;  // sum over all allocations since the start
  int64_t bytes_limit = 0;      // 0: none
};

// Thread-safe. Lives at least as long as every block it gave out.
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual std::string_view name() const = 0;
  // False when host code cannot touch the blocks; buffers then keep their counts elsewhere.
  virtual bool is_host_memory() const { return true; }
  // nullptr when the limit or the machine's memory is exhausted; num_bytes > 0.
  virtual void* Allocate(size_t num_bytes) = 0;
  virtual void Deallocate(void* block, size_t num_bytes) = 0;
  virtual AllocatorStats stats() const = 0;
};

// The process's allocator for host memory: caches freed blocks by size class, because fresh pages
// cost far more than the copy that fills them. Never destroyed.
Allocator& HostAllocator();

}  // namespace rheo

#endif  // RHEO_TENSOR_ALLOCATOR_H_
