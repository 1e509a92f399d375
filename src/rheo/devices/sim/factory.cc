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
    if (count == 0) return devices;
    RHEO_ASSIGN_OR_RETURN(const size_t num_bytes, BytesToUse());
    for (int i = 0; i < count; ++i) {
      RHEO_ASSIGN_OR_RETURN(
          auto made, SimDevice::Create(fmt::format("{}/device:GPU:{}", task_name, i), num_bytes));
      devices.push_back(std::move(made));
    }
    return devices;
  }

 private:
  StatusOr<size_t> BytesToUse() const {
    const double fraction = options_.memory_fraction;
    if (fraction == 0) return options_.bytes_per_device;
    // Written so that it refuses what is not a number.
    if (!(fraction > 0 && fraction <= 1)) {
      return InvalidArgument(
          "gpu_options.per_process_gpu_memory_fraction is {}, but a share of a GPU's memory is "
          "above 0 and up to 1",
          fraction);
    }
    return static_cast<size_t>(static_cast<double>(options_.bytes_per_device) * fraction);
  }

  const FactoryOptions options_;
};

}  // namespace

std::unique_ptr<device::DeviceFactory> MakeFactory(FactoryOptions options) {
  return std::make_unique<SimFactory>(options);
}

}  // namespace rheo::devices::sim
