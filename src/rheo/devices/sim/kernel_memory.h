// What kernels of a simulated GPU need: the bytes behind device addresses.
//
// A kernel checks its inputs and allocates its outputs at once, and enqueues the rest. The work
// holds the tensors it uses, so that their memory is not given out again before it ran:
//
//   device.stream()->Enqueue([memory, x = c.input(0), out = *out] {
//     float* z = memory.At<float>(out);
//     …
//   });
#ifndef RHEO_DEVICES_SIM_KERNEL_MEMORY_H_
#define RHEO_DEVICES_SIM_KERNEL_MEMORY_H_

#include "rheo/device/device.h"
#include "rheo/devices/sim/allocator.h"

namespace rheo::devices::sim {

class KernelMemory {
 public:
  // INTERNAL for a device of type GPU that is not simulated.
  static StatusOr<KernelMemory> Of(device::Device& device) {
    const auto* allocator = dynamic_cast<const SimAllocator*>(&device.allocator());
    if (allocator == nullptr) return Internal("{} is no simulated device", device.info().name);
    return KernelMemory(allocator->memory());
  }

  // nullptr for an empty tensor.
  template <typename T>
  T* At(const Tensor& tensor) const {
    return tensor.num_bytes() == 0 ? nullptr : static_cast<T*>(memory_->Translate(tensor.data()));
  }

 private:
  explicit KernelMemory(const SimMemory& memory) : memory_(&memory) {}

  const SimMemory* memory_;
};

}  // namespace rheo::devices::sim

#endif  // RHEO_DEVICES_SIM_KERNEL_MEMORY_H_
