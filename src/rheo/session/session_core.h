// What the handles of one session share. Internal to session/.
#ifndef RHEO_SESSION_SESSION_CORE_H_
#define RHEO_SESSION_SESSION_CORE_H_

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "rheo/base/ids.h"
#include "rheo/base/mutex.h"
#include "rheo/base/status.h"
#include "rheo/service/master_service.h"

namespace rheo::session {

// How long a destructor waits for the master.
inline constexpr std::chrono::milliseconds kReleaseTimeout{10'000};

using service::DeadlineAfter;

struct SessionCore {
  SessionCore(std::shared_ptr<service::MasterService> the_master, SessionHandle the_handle,
              std::chrono::milliseconds timeout, int64_t version)
      : master(std::move(the_master)),
        handle(std::move(the_handle)),
        operation_timeout(timeout),
        graph_version(version) {}

  const std::shared_ptr<service::MasterService> master;
  const SessionHandle handle;
  const std::chrono::milliseconds operation_timeout;
  // Set once by Close; atomic so that steps need no lock.
  std::atomic<bool> closed{false};

  Mutex extend_mutex;  // held during the call: extensions take turns
  int64_t graph_version RHEO_GUARDED_BY(extend_mutex);

  Status CheckOpen() const {
    if (closed.load(std::memory_order_acquire)) return FailedPrecondition("Session is closed.");
    return OkStatus();
  }
  service::Call OperationCall() const { return {.deadline = DeadlineAfter(operation_timeout)}; }
};

// Runs a step and puts the answer's tensors in the order of request.fetches.
StatusOr<std::vector<Tensor>> RunStep(const SessionCore& core,
                                      const service::RunStepRequest& request, service::Call call,
                                      service::RunMetadata* metadata);

}  // namespace rheo::session

#endif  // RHEO_SESSION_SESSION_CORE_H_
