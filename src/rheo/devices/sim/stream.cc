#include "rheo/devices/sim/stream.h"

#include <utility>

#include "rheo/trace/device_work.h"

namespace rheo::devices::sim {

void SimStream::Enqueue(absl::AnyInvocable<void()> work) {
  std::shared_ptr<const trace::DeviceWork> traced = trace::CurrentDeviceWork();
  if (traced == nullptr) return queue_.Add(std::move(work));
  queue_.Add([this, traced = std::move(traced), enqueued = trace::NowNanos(),
              work = std::move(work)]() mutable {
    const int64_t start = trace::NowNanos();
    std::move(work)();
    traced->Ran({.stream = number_,
                 .enqueued_nanos = enqueued,
                 .start_nanos = start,
                 .end_nanos = trace::NowNanos()});
  });
}

void SimStream::WhenDone(absl::AnyInvocable<void(Status)> done) {
  queue_.Add([done = std::move(done)]() mutable { std::move(done)(OkStatus()); });
}

}  // namespace rheo::devices::sim
