// The factory of simulated GPUs.
#ifndef RHEO_DEVICES_SIM_FACTORY_H_
#define RHEO_DEVICES_SIM_FACTORY_H_

#include <cstddef>
#include <memory>

#include "rheo/device/device.h"

namespace rheo::devices::sim {

struct FactoryOptions {
  size_t bytes_per_device = size_t{1} << 30;
  // The share of them that the task may use, above 0 and up to 1; 0: all.
  double memory_fraction = 0;
};

// Makes none unless the configuration asks for some. Making devices is INVALID_ARGUMENT for a
// fraction out of range.
std::unique_ptr<device::DeviceFactory> MakeFactory(FactoryOptions options = {});

}  // namespace rheo::devices::sim

#endif  // RHEO_DEVICES_SIM_FACTORY_H_
