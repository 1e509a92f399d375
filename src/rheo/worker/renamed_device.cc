#include "rheo/worker/renamed_device.h"

namespace rheo::worker {

StatusOr<std::unique_ptr<RenamedDevice>> RenamedDevice::Create(device::Device& base,
                                                               const std::string& task_name) {
  device::DeviceInfo info = base.info();
  info.name = task_name + base.name().LocalPart().ToString();
  RHEO_ASSIGN_OR_RETURN(device::DeviceName name, device::DeviceName::Parse(info.name));
  return std::unique_ptr<RenamedDevice>(new RenamedDevice(base, std::move(info), std::move(name)));
}

}  // namespace rheo::worker
