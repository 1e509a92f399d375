#include "rheo/devices/sim/device.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace rheo::devices::sim {
namespace {

using Done = absl::AnyInvocable<void(StatusOr<Tensor>)>;

Status CheckMovable(const Tensor& tensor) {
  if (IsPlainData(tensor.dtype())) return OkStatus();
  return InvalidArgument("a tensor of type {} stays in host memory", DTypeName(tensor.dtype()));
}

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
      stream_(fmt::format("sim_stream_{}", name_.id.value_or(0))) {}

void SimDevice::CopyToHost(const Tensor& tensor, Done done) {
  if (Status status = CheckMovable(tensor); !status.ok()) {
    std::move(done)(status);
    return;
  }
  stream_.Enqueue([this, tensor, done = std::move(done)]() mutable {
    StatusOr<Tensor> copy = Tensor::Create(HostAllocator(), tensor.dtype(), tensor.shape());
    if (copy.ok() && tensor.num_bytes() > 0) {
      std::memcpy(copy->mutable_data(), memory_->Translate(tensor.data()), tensor.num_bytes());
    }
    std::move(done)(std::move(copy));
  });
}

void SimDevice::CopyFromHost(const Tensor& tensor, Done done) {
  if (Status status = CheckMovable(tensor); !status.ok()) {
    std::move(done)(status);
    return;
  }
  stream_.Enqueue([this, tensor, done = std::move(done)]() mutable {
    StatusOr<Tensor> copy = Tensor::Create(allocator_, tensor.dtype(), tensor.shape());
    if (copy.ok() && tensor.num_bytes() > 0) {
      std::memcpy(memory_->Translate(copy->data()), tensor.data(), tensor.num_bytes());
    }
    std::move(done)(std::move(copy));
  });
}

}  // namespace rheo::devices::sim
