#include "rheo/devices/sim/memory.h"

#include <sys/mman.h>

namespace rheo::devices::sim {
namespace {

// nullptr when there is no room.
char* Reserve(size_t num_bytes, int protection) {
  void* const start = mmap(nullptr, num_bytes, protection,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, /*offset=*/0);
  return start == MAP_FAILED ? nullptr : static_cast<char*>(start);
}

}  // namespace

StatusOr<std::unique_ptr<SimMemory>> SimMemory::Create(size_t num_bytes) {
  char* const device = Reserve(num_bytes, PROT_NONE);
  char* const bytes = Reserve(num_bytes, PROT_READ | PROT_WRITE);
  if (device == nullptr || bytes == nullptr) {
    if (device != nullptr) munmap(device, num_bytes);
    if (bytes != nullptr) munmap(bytes, num_bytes);
    return ResourceExhausted("no address space for a simulated device of {} bytes", num_bytes);
  }
  return std::unique_ptr<SimMemory>(new SimMemory(device, bytes, num_bytes));
}

SimMemory::~SimMemory() {
  munmap(device_, num_bytes_);
  munmap(bytes_, num_bytes_);
}

}  // namespace rheo::devices::sim
