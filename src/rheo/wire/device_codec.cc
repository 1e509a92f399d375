#include "rheo/wire/device_codec.h"

namespace rheo::wire {

device::DeviceInfo DeviceFromProto(const tensorflow::DeviceAttributes& proto) {
  device::DeviceInfo info;
  info.name = proto.name();
  info.type = proto.device_type();
  info.memory_limit = proto.memory_limit();
  info.incarnation = Incarnation(proto.incarnation());
  info.locality = proto.locality().SerializeAsString();
  info.description = proto.physical_device_desc();
  info.xla_global_id = proto.xla_global_id();
  return info;
}

void DeviceToProto(const device::DeviceInfo& info, tensorflow::DeviceAttributes& proto) {
  proto.set_name(info.name);
  proto.set_device_type(info.type);
  proto.set_memory_limit(info.memory_limit);
  proto.set_incarnation(info.incarnation.value);
  proto.mutable_locality()->ParseFromString(info.locality);  // present even when empty
  proto.set_physical_device_desc(info.description);
  proto.set_xla_global_id(info.xla_global_id);
}

std::vector<device::DeviceInfo> DevicesFromProto(const ProtoDevices& proto) {
  std::vector<device::DeviceInfo> devices;
  for (const auto& from : proto) devices.push_back(DeviceFromProto(from));
  return devices;
}

void DevicesToProto(const std::vector<device::DeviceInfo>& devices, ProtoDevices& proto) {
  for (const device::DeviceInfo& info : devices) DeviceToProto(info, *proto.Add());
}

}  // namespace rheo::wire
