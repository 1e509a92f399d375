// SimDevice: a stand-in for a GPU, for tests and for trying programs on machines without one. It
// has the type GPU, memory that host code cannot touch, kernels that run later, in order, and
// copies that run beside them, in a queue for each direction.
#ifndef RHEO_DEVICES_SIM_DEVICE_H_
#define RHEO_DEVICES_SIM_DEVICE_H_

#include <memory>
#include <string>

#include "rheo/device/device.h"
#include "rheo/devices/sim/allocator.h"
#include "rheo/devices/sim/memory.h"
#include "rheo/devices/sim/queue.h"
#include "rheo/devices/sim/stream.h"

namespace rheo::devices::sim {

class SimDevice final : public device::Device {
 public:
  // `name` is full and parses; RESOURCE_EXHAUSTED when there is no room for the memory.
  static StatusOr<std::unique_ptr<SimDevice>> Create(std::string name, size_t num_bytes);

  const device::DeviceInfo& info() const override { return info_; }
  const device::DeviceName& name() const override { return name_; }
  Allocator& allocator() override { return allocator_; }
  device::Stream* stream() override { return &stream_; }
  bool is_host_memory() const override { return false; }
  // `done` runs on the thread that copied.
  void CopyToHost(const Tensor& tensor, absl::AnyInvocable<void(StatusOr<Tensor>)> done) override;
  void CopyFromHost(const Tensor& tensor, absl::AnyInvocable<void(StatusOr<Tensor>)> done) override;

  // The bytes behind device addresses, for this device's kernels.
  const SimMemory& memory() const { return *memory_; }

 private:
  SimDevice(device::DeviceInfo info, device::DeviceName name, std::unique_ptr<SimMemory> memory);

  const device::DeviceInfo info_;
  const device::DeviceName name_;
  const std::unique_ptr<SimMemory> memory_;
  SimAllocator allocator_;
  // Their work uses all of the above, and the stream's last the queues.
  SimQueue from_host_;
  SimQueue to_host_;
  SimStream stream_;
};

}  // namespace rheo::devices::sim

#endif  // RHEO_DEVICES_SIM_DEVICE_H_
