// Device: something kernels run on, with its memory. DeviceInfo: what other tasks know of it.
#ifndef RHEO_DEVICE_DEVICE_H_
#define RHEO_DEVICE_DEVICE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "rheo/async/thread_pool.h"
#include "rheo/base/ids.h"
#include "rheo/base/status.h"
#include "rheo/device/device_name.h"
#include "rheo/tensor/tensor.h"

namespace rheo::device {

struct DeviceInfo {
  std::string name;          // full
  std::string type;          // "CPU", "GPU"
  int64_t memory_limit = 0;  // bytes
  Incarnation incarnation;   // new for each start of the process
  std::string locality;      // serialized DeviceLocality, handed on unchanged
  std::string description;   // for people
  int64_t xla_global_id = -1;

  friend bool operator==(const DeviceInfo&, const DeviceInfo&) = default;
};

// The order in which an asynchronous device executes what it is given. Thread-safe.
class Stream {
 public:
  virtual ~Stream() = default;
  // Runs `work` after everything enqueued before; returns at once. In a traced step the device says
  // when it ran (trace/device_work.h), before the callbacks that WhenDone is given later.
  virtual void Enqueue(absl::AnyInvocable<void()> work) = 0;
  // Calls `done` when all that was enqueued before has run.
  virtual void WhenDone(absl::AnyInvocable<void(Status)> done) = 0;
};

// Owned by the server that made it; outlives every kernel and step on it. Thread-safe.
class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceInfo& info() const = 0;
  virtual const DeviceName& name() const = 0;
  // Memory that kernels of this device read and write.
  virtual Allocator& allocator() = 0;
  // nullptr when kernels have finished their work once they return (CPU).
  virtual Stream* stream() = 0;
  // True when host code may touch the bytes of allocator(): then copies are the identity.
  virtual bool is_host_memory() const = 0;
  // Copies between host memory and the device; `done` gets the tensor on the other side. Not called
  // when is_host_memory(). kString, kResource and kVariant stay in host memory: INVALID_ARGUMENT.
  // What is copied to the host is what the work that was enqueued before leaves; the stream goes on
  // meanwhile. In a traced step the device says when a copy ran, before it calls `done`.
  virtual void CopyToHost(const Tensor& tensor,
                          absl::AnyInvocable<void(StatusOr<Tensor>)> done) = 0;
  virtual void CopyFromHost(const Tensor& tensor,
                            absl::AnyInvocable<void(StatusOr<Tensor>)> done) = 0;
};

// Makes the devices of one type. One file per device folder: devices/<type>/factory.h.
class DeviceFactory {
 public:
  virtual ~DeviceFactory() = default;
  virtual std::string_view type() const = 0;
  // How many there are when the configuration does not say; none of a kind whose memory a task
  // should not take unasked.
  virtual int DefaultCount() const = 0;
  // `count` devices named `<task_name>/device:<type>:<i>`.
  virtual StatusOr<std::vector<std::unique_ptr<Device>>> Make(const std::string& task_name,
                                                              int count) = 0;
};

}  // namespace rheo::device

#endif  // RHEO_DEVICE_DEVICE_H_
