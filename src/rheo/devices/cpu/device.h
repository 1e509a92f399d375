// CpuDevice: kernels run on the calling thread in host memory.
#ifndef RHEO_DEVICES_CPU_DEVICE_H_
#define RHEO_DEVICES_CPU_DEVICE_H_

#include <string>

#include "rheo/device/device.h"

namespace rheo::devices::cpu {

class CpuDevice final : public device::Device {
 public:
  // `name` is full and parses.
  static StatusOr<std::unique_ptr<CpuDevice>> Create(std::string name);

  const device::DeviceInfo& info() const override { return info_; }
  const device::DeviceName& name() const override { return name_; }
  Allocator& allocator() override { return HostAllocator(); }
  device::Stream* stream() override { return nullptr; }
  bool is_host_memory() const override { return true; }
  void CopyToHost(const Tensor& tensor, absl::AnyInvocable<void(StatusOr<Tensor>)> done) override;
  void CopyFromHost(const Tensor& tensor, absl::AnyInvocable<void(StatusOr<Tensor>)> done) override;

 private:
  CpuDevice(device::DeviceInfo info, device::DeviceName name)
      : info_(std::move(info)), name_(std::move(name)) {}

  const device::DeviceInfo info_;
  const device::DeviceName name_;
};

}  // namespace rheo::devices::cpu

#endif  // RHEO_DEVICES_CPU_DEVICE_H_
