// Devices in protobuf's form.
#ifndef RHEO_WIRE_DEVICE_CODEC_H_
#define RHEO_WIRE_DEVICE_CODEC_H_

#include <vector>

#include "rheo/device/device.h"
#include "rheo/wire/proto/service.pb.h"

namespace rheo::wire {

using ProtoDevices = google::protobuf::RepeatedPtrField<tensorflow::DeviceAttributes>;

device::DeviceInfo DeviceFromProto(const tensorflow::DeviceAttributes& proto);
void DeviceToProto(const device::DeviceInfo& info, tensorflow::DeviceAttributes& proto);
std::vector<device::DeviceInfo> DevicesFromProto(const ProtoDevices& proto);
void DevicesToProto(const std::vector<device::DeviceInfo>& devices, ProtoDevices& proto);

}  // namespace rheo::wire

#endif  // RHEO_WIRE_DEVICE_CODEC_H_
