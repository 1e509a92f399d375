#include "rheo/devices/cpu/device.h"

namespace rheo::devices::cpu {
namespace {

// What TensorFlow reports for a CPU; nothing is limited by it.
constexpr int64_t kReportedMemory = 268'435'456;

}  // namespace

StatusOr<std::unique_ptr<CpuDevice>> CpuDevice::Create(std::string name) {
  RHEO_ASSIGN_OR_RETURN(device::DeviceName parsed, device::DeviceName::Parse(name));
  device::DeviceInfo info;
  info.name = std::move(name);
  info.type = "CPU";
  info.memory_limit = kReportedMemory;
  info.incarnation = NewIncarnation();
  return std::unique_ptr<CpuDevice>(new CpuDevice(std::move(info), std::move(parsed)));
}

void CpuDevice::CopyToHost(const Tensor& tensor, absl::AnyInvocable<void(StatusOr<Tensor>)> done) {
  std::move(done)(tensor);
}

void CpuDevice::CopyFromHost(const Tensor& tensor,
                             absl::AnyInvocable<void(StatusOr<Tensor>)> done) {
  std::move(done)(tensor);
}

}  // namespace rheo::devices::cpu
