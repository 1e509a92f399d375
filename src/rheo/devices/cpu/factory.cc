#include "rheo/devices/cpu/factory.h"

#include <fmt/format.h>

#include "rheo/devices/cpu/device.h"

namespace rheo::devices::cpu {
namespace {

class CpuFactory final : public device::DeviceFactory {
 public:
  std::string_view type() const override { return "CPU"; }
  int DefaultCount() const override { return 1; }
  StatusOr<std::vector<std::unique_ptr<device::Device>>> Make(const std::string& task_name,
                                                              int count) override {
    std::vector<std::unique_ptr<device::Device>> devices;
    for (int i = 0; i < count; ++i) {
      RHEO_ASSIGN_OR_RETURN(auto made,
                            CpuDevice::Create(fmt::format("{}/device:CPU:{}", task_name, i)));
      devices.push_back(std::move(made));
    }
    return devices;
  }
};

}  // namespace

std::unique_ptr<device::DeviceFactory> MakeFactory() { return std::make_unique<CpuFactory>(); }

}  // namespace rheo::devices::cpu
