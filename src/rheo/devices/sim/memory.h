// SimMemory: the memory of a simulated accelerator: addresses that host code cannot touch.
#ifndef RHEO_DEVICES_SIM_MEMORY_H_
#define RHEO_DEVICES_SIM_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "rheo/base/status.h"

namespace rheo::devices::sim {

// Two ranges of the same size: one of device addresses, which fault when the host reads or writes
// them, and one where the bytes really are. Pages cost nothing until they are used. Thread-safe.
class SimMemory {
 public:
  // RESOURCE_EXHAUSTED when the process cannot have that much address space.
  static StatusOr<std::unique_ptr<SimMemory>> Create(size_t num_bytes);
  ~SimMemory();
  SimMemory(const SimMemory&) = delete;
  SimMemory& operator=(const SimMemory&) = delete;

  size_t num_bytes() const { return num_bytes_; }
  // The device address of an offset.
  void* Address(size_t offset) const { return device_ + offset; }
  size_t Offset(const void* address) const {
    return static_cast<size_t>(static_cast<const char*>(address) - device_);
  }
  bool Contains(const void* address) const {
    const auto value = reinterpret_cast<uintptr_t>(address);
    const auto start = reinterpret_cast<uintptr_t>(device_);
    return value >= start && value - start < num_bytes_;
  }
  // Where kernels of the device find the bytes of a device address.
  void* Translate(const void* address) const { return bytes_ + Offset(address); }

 private:
  SimMemory(char* device, char* bytes, size_t num_bytes)
      : device_(device), bytes_(bytes), num_bytes_(num_bytes) {}

  char* const device_;
  char* const bytes_;
  const size_t num_bytes_;
};

}  // namespace rheo::devices::sim

#endif  // RHEO_DEVICES_SIM_MEMORY_H_
