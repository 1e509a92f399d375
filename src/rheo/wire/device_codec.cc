#include "rheo/wire/device_codec.h"

namespace rheo::wire {

std::vector<device::DeviceInfo> DevicesFromProto(const ProtoDevices& proto) {
  std::vector<device::DeviceInfo> devices;
  for (const auto& from : proto) {
    device::DeviceInfo& info = devices.emplace_back();
    info.name = from.name();
    info.type = from.device_type();
    info.memory_limit = from.memory_limit();
    info.incarnation = Incarnation(from.incarnation());
    info.locality = from.locality().SerializeAsString();
    info.description = from.physical_device_desc();
    info.xla_global_id = from.xla_global_id();
  }
  return devices;
}

void DevicesToProto(const std::vector<device::DeviceInfo>& devices, ProtoDevices& proto) {
  for (const device::DeviceInfo& info : devices) {
    auto* const to = proto.Add();
    to->set_name(info.name);
    to->set_device_type(info.type);
    to->set_memory_limit(info.memory_limit);
    to->set_incarnation(info.incarnation.value);
    to->mutable_locality()->ParseFromString(info.locality);  // present even when empty
    to->set_physical_device_desc(info.description);
    to->set_xla_global_id(info.xla_global_id);
  }
}

}  // namespace rheo::wire
