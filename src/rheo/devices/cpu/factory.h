// The factory of CPU devices: host memory, kernels that have finished when they return.
#ifndef RHEO_DEVICES_CPU_FACTORY_H_
#define RHEO_DEVICES_CPU_FACTORY_H_

#include <memory>

#include "rheo/device/device.h"

namespace rheo::devices::cpu {

std::unique_ptr<device::DeviceFactory> MakeFactory();

}  // namespace rheo::devices::cpu

#endif  // RHEO_DEVICES_CPU_FACTORY_H_
