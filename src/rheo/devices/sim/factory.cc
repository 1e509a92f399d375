#include "rheo/devices/sim/factory.h"

#include <fmt/format.h>

#include "rheo/devices/sim/device.h"

namespace rheo::devices::sim {
namespace {

class SimFactory final : public device::DeviceFactory {
 public:
  explicit SimFactory(FactoryOptions options) : options_(options) {}

  std::string_view type() const override { return "GPU"; }
  int DefaultCount() const override { return 0; }
  StatusOr<std::vector<std::unique_ptr<device::Device>>> Make(const std::string& task_name,
                                                              int count) override {
    std::vector<std::unique_ptr<device::Device>> devices;
    for (int i = 0; i < count; ++i) {
      RHEO_ASSIGN_OR_RETURN(auto made,
                            SimDevice::Create(fmt::format("{}/device:GPU:{}", task_name, i),
                                              options_.bytes_per_device));
      devices.push_back(std::move(made));
    }
    return devices;
  }

 private:
  const FactoryOptions options_;
};

}  // namespace

std::unique_ptr<device::DeviceFactory> MakeFactory(FactoryOptions options) {
  return std::make_unique<SimFactory>(options);
}

}  // namespace rheo::devices::sim
