// The times of transfers between tasks in a traced step: workers record what they receive while a
// master asks them to, and tell it afterwards.
#ifndef RHEO_MASTER_TRANSFER_LOGS_H_
#define RHEO_MASTER_TRANSFER_LOGS_H_

#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "rheo/base/ids.h"
#include "rheo/service/worker_service.h"

namespace rheo::master {

using Workers = std::vector<std::shared_ptr<service::WorkerService>>;

// Lets all workers record; `done` runs once all have answered or a few seconds have passed. A
// worker that fails records nothing.
void StartTransferLogs(const Workers& workers, absl::AnyInvocable<void()> done);

// Ends the recording and gives what was recorded of the step.
void CollectTransferLogs(const Workers& workers, StepId step,
                         absl::AnyInvocable<void(trace::StepStats)> done);

}  // namespace rheo::master

#endif  // RHEO_MASTER_TRANSFER_LOGS_H_
