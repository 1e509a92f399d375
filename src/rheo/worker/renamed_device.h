// RenamedDevice: a device under another name, for sessions whose cluster calls this task otherwise.
#ifndef RHEO_WORKER_RENAMED_DEVICE_H_
#define RHEO_WORKER_RENAMED_DEVICE_H_

#include <memory>
#include <string>

#include "rheo/device/device.h"

namespace rheo::worker {

// Same memory, stream and incarnation as `base`, which outlives it.
class RenamedDevice final : public device::Device {
 public:
  // `task_name` is "/job:<job>/replica:<r>/task:<i>".
  static StatusOr<std::unique_ptr<RenamedDevice>> Create(device::Device& base,
                                                         const std::string& task_name);

  const device::DeviceInfo& info() const override { return info_; }
  const device::DeviceName& name() const override { return name_; }
  Allocator& allocator() override { return base_.allocator(); }
  device::Stream* stream() override { return base_.stream(); }
  bool is_host_memory() const override { return base_.is_host_memory(); }
  void CopyToHost(const Tensor& tensor, absl::AnyInvocable<void(StatusOr<Tensor>)> done) override {
    base_.CopyToHost(tensor, std::move(done));
  }
  void CopyFromHost(const Tensor& tensor,
                    absl::AnyInvocable<void(StatusOr<Tensor>)> done) override {
    base_.CopyFromHost(tensor, std::move(done));
  }

 private:
  RenamedDevice(device::Device& base, device::DeviceInfo info, device::DeviceName name)
      : base_(base), info_(std::move(info)), name_(std::move(name)) {}

  device::Device& base_;
  const device::DeviceInfo info_;
  const device::DeviceName name_;
};

}  // namespace rheo::worker

#endif  // RHEO_WORKER_RENAMED_DEVICE_H_
