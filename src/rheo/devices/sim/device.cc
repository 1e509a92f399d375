#include "rheo/devices/sim/device.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "rheo/trace/device_work.h"

namespace rheo::devices::sim {
namespace {

using trace::WorkKind;
using Done = absl::AnyInvocable<void(StatusOr<Tensor>)>;

Status CheckMovable(const Tensor& tensor) {
  if (IsPlainData(tensor.dtype())) return OkStatus();
  return InvalidArgument("a tensor of type {} stays in host memory", DTypeName(tensor.dtype()));
}

// The queues' numbers in traces.
constexpr int kKernelStream = 0;
constexpr int kFromHostStream = 1;
constexpr int kToHostStream = 2;

// Records a copy, when the thread that asked for it was in a traced step.
class TracedCopy {
 public:
  TracedCopy(WorkKind kind, int stream, const Tensor& tensor) : work_(trace::CurrentDeviceWork()) {
    if (work_ == nullptr) return;
    times_ = {.kind = kind,
              .stream = stream,
              .enqueued_nanos = trace::NowNanos(),
              .num_bytes = static_cast<int64_t>(tensor.num_bytes())};
  }
  void Start() {
    if (work_ != nullptr) times_.start_nanos = trace::NowNanos();
  }
  void End() {
    if (work_ == nullptr) return;
    times_.end_nanos = trace::NowNanos();
    work_->Ran(times_);
  }

 private:
  std::shared_ptr<const trace::DeviceWork> work_;
  trace::WorkTimes times_;
};

}  // namespace

StatusOr<std::unique_ptr<SimDevice>> SimDevice::Create(std::string name, size_t num_bytes) {
  RHEO_ASSIGN_OR_RETURN(device::DeviceName parsed, device::DeviceName::Parse(name));
  RHEO_ASSIGN_OR_RETURN(std::unique_ptr<SimMemory> memory, SimMemory::Create(num_bytes));
  device::DeviceInfo info;
  info.name = std::move(name);
  info.type = "GPU";
  info.memory_limit = static_cast<int64_t>(num_bytes);
  info.incarnation = NewIncarnation();
  info.description = "simulated on the CPU";
  return std::unique_ptr<SimDevice>(
      new SimDevice(std::move(info), std::move(parsed), std::move(memory)));
}

SimDevice::SimDevice(device::DeviceInfo info, device::DeviceName name,
                     std::unique_ptr<SimMemory> memory)
    : info_(std::move(info)),
      name_(std::move(name)),
      memory_(std::move(memory)),
      allocator_(fmt::format("sim_{}", name_.id.value_or(0)), *memory_),
      from_host_(fmt::format("sim_from_host_{}", name_.id.value_or(0))),
      to_host_(fmt::format("sim_to_host_{}", name_.id.value_or(0))),
      stream_(fmt::format("sim_stream_{}", name_.id.value_or(0)), kKernelStream) {}

void SimDevice::CopyToHost(const Tensor& tensor, Done done) {
  if (Status status = CheckMovable(tensor); !status.ok()) {
    std::move(done)(status);
    return;
  }
  TracedCopy trace(WorkKind::kDeviceToHost, kToHostStream, tensor);
  auto copy = [this, tensor, trace = std::move(trace), done = std::move(done)]() mutable {
    trace.Start();
    StatusOr<Tensor> copy = Tensor::Create(HostAllocator(), tensor.dtype(), tensor.shape());
    if (copy.ok() && tensor.num_bytes() > 0) {
      std::memcpy(copy->mutable_data(), memory_->Translate(tensor.data()), tensor.num_bytes());
    }
    trace.End();
    std::move(done)(std::move(copy));
  };
  // After the kernels that were enqueued before; those that follow do not wait for the copy.
  stream_.WhenDone(
      [this, copy = std::move(copy)](const Status&) mutable { to_host_.Add(std::move(copy)); });
}

void SimDevice::CopyFromHost(const Tensor& tensor, Done done) {
  if (Status status = CheckMovable(tensor); !status.ok()) {
    std::move(done)(status);
    return;
  }
  TracedCopy trace(WorkKind::kHostToDevice, kFromHostStream, tensor);
  from_host_.Add([this, tensor, trace = std::move(trace), done = std::move(done)]() mutable {
    trace.Start();
    StatusOr<Tensor> copy = Tensor::Create(allocator_, tensor.dtype(), tensor.shape());
    if (copy.ok() && tensor.num_bytes() > 0) {
      std::memcpy(memory_->Translate(copy->data()), tensor.data(), tensor.num_bytes());
    }
    trace.End();
    std::move(done)(std::move(copy));
  });
}

}  // namespace rheo::devices::sim
