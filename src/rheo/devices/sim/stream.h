// SimStream: the kernels of a simulated accelerator, run in order.
#ifndef RHEO_DEVICES_SIM_STREAM_H_
#define RHEO_DEVICES_SIM_STREAM_H_

#include <string>

#include "rheo/device/device.h"
#include "rheo/devices/sim/queue.h"

namespace rheo::devices::sim {

// Callbacks of WhenDone run on the stream's thread, between the work before and after them.
class SimStream final : public device::Stream {
 public:
  // `number` is the stream's in traces.
  SimStream(std::string name, int number) : number_(number), queue_(std::move(name)) {}

  void Enqueue(absl::AnyInvocable<void()> work) override;
  void WhenDone(absl::AnyInvocable<void(Status)> done) override;

 private:
  const int number_;
  SimQueue queue_;
};

}  // namespace rheo::devices::sim

#endif  // RHEO_DEVICES_SIM_STREAM_H_
