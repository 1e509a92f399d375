// DeviceWork: for which node of a traced step an asynchronous device works, and when it did.
//
// Kernels of such a device return before their work has run: what the executor measures is how long
// it took to hand the work over. While it calls a kernel it says by a DeviceWorkScope for which
// node that is. The device keeps CurrentDeviceWork() with what it is given, and tells the times
// later:
//
//   void MyStream::Enqueue(Work work) {
//     queue_.push_back({std::move(work), trace::CurrentDeviceWork(), trace::NowNanos()});
//   }
//   … and when it has run:
//     if (item.traced) item.traced->Ran({.stream = 0, .enqueued_nanos = …, .start_nanos = …, …});
#ifndef RHEO_TRACE_DEVICE_WORK_H_
#define RHEO_TRACE_DEVICE_WORK_H_

#include <cstdint>
#include <memory>
#include <string>

#include "rheo/trace/step_stats.h"

namespace rheo::trace {

enum class WorkKind { kKernel, kHostToDevice, kDeviceToHost };

// Times in nanoseconds since 1970.
struct WorkTimes {
  WorkKind kind = WorkKind::kKernel;
  int stream = 0;  // which of the device's queues
  int64_t enqueued_nanos = 0;
  int64_t start_nanos = 0;
  int64_t end_nanos = 0;
  int64_t num_bytes = 0;  // of a copy
};

// Immutable and thread-safe. The step that is traced lives until the work is done.
class DeviceWork {
 public:
  // `label` is "name = Op(input, input)", as that of NodeStats. `observer` outlives the work.
  DeviceWork(StepObserver& observer, std::string device, std::string node_name, std::string label);

  // Records the work where TensorFlow's timeline looks for it: kernels under the device's name with
  // "/stream:all" behind it, copies with "/memcpy", both also with "/stream:<n>". The records are
  // named "<node>:<Op>", "<node>:MEMCPYHtoD" and "<node>:MEMCPYDtoH".
  void Ran(const WorkTimes& times) const;

 private:
  StepObserver& observer_;
  const std::string device_;
  const std::string node_name_;
  const std::string label_;
};

// The work of this thread's innermost scope; null: it is not traced.
std::shared_ptr<const DeviceWork> CurrentDeviceWork();

// What this thread gives to devices belongs to `work`, until the scope ends. Scopes nest; one with
// null hides those around it: a step that is not traced may run inside a call of one that is.
class DeviceWorkScope {
 public:
  explicit DeviceWorkScope(std::shared_ptr<const DeviceWork> work);
  ~DeviceWorkScope();
  DeviceWorkScope(const DeviceWorkScope&) = delete;
  DeviceWorkScope& operator=(const DeviceWorkScope&) = delete;

 private:
  std::shared_ptr<const DeviceWork> outer_;
};

}  // namespace rheo::trace

#endif  // RHEO_TRACE_DEVICE_WORK_H_
