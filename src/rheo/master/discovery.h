// Discovery: asks the tasks of a cluster for their devices, until all have answered or time is up.
#ifndef RHEO_MASTER_DISCOVERY_H_
#define RHEO_MASTER_DISCOVERY_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "rheo/async/stop.h"
#include "rheo/async/timer.h"
#include "rheo/master/deadlines.h"
#include "rheo/master/session_cluster.h"

namespace rheo::master {

struct DiscoveryRequest {
  std::shared_ptr<service::WorkerDirectory> directory;
  std::string own_task;                           // answered from here, never asked
  std::vector<device::DeviceInfo> local_devices;  // of the own task, under whatever name
  std::shared_ptr<const op::KernelCatalog> local_kernels;
  uint64_t local_kernels_fingerprint = 0;
  std::shared_ptr<const op::KernelCatalog> tensorflow_kernels;
  std::vector<std::string> device_filters;  // empty: every task
  // The cluster came with the session: its tasks may call themselves otherwise.
  bool tasks_have_other_names = false;
  Clock::time_point deadline;
  StopToken stop;
};

// `done` runs once, on any thread, perhaps inside this call:
//   * the tasks that the filters admit, the own one first (it needs no admission);
//   * INVALID_ARGUMENT for a filter that does not parse;
//   * DEADLINE_EXCEEDED naming each task that has not answered, its address and why;
//   * the error of a task that answers with one that does not pass (discovery_cause.h);
//   * CANCELLED when `stop` fires.
// Tasks that are down, and addresses at which something else answers, are asked again and again;
// tasks that are not admitted are never contacted. `timers` outlives the call's end.
void DiscoverTasks(TimerQueue& timers, DiscoveryRequest request,
                   absl::AnyInvocable<void(StatusOr<std::vector<Task>>)> done);

// True when some filter and the task have a device in common, or there is no filter.
bool Admits(const std::vector<device::DeviceName>& filters, std::string_view task);
StatusOr<std::vector<device::DeviceName>> ParseFilters(const std::vector<std::string>& filters);

}  // namespace rheo::master

#endif  // RHEO_MASTER_DISCOVERY_H_
