#include "rheo/service/recent_requests.h"

namespace rheo::service {

Status RecentRequests::Check(RequestId id, std::string_view method) {
  if (id.value == 0) return OkStatus();
  MutexLock lock(mutex_);
  if (known_.Insert(id)) return OkStatus();
  return Aborted("The same {} request was received twice. request_id: {}", method, id.value);
}

}  // namespace rheo::service
