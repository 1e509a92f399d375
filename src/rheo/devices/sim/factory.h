// The factory of simulated GPUs.
#ifndef RHEO_DEVICES_SIM_FACTORY_H_
#define RHEO_DEVICES_SIM_FACTORY_H_

#include <cstddef>
#include <memory>

#include "rheo/device/device.h"

namespace rheo::devices::sim {

struct FactoryOptions {
  size_t bytes_per_device = size_t{1} << 30;
};

// Makes none unless the configuration asks for some.
std::unique_ptr<device::DeviceFactory> MakeFactory(FactoryOptions options = {});

}  // namespace rheo::devices::sim

#endif  // RHEO_DEVICES_SIM_FACTORY_H_
