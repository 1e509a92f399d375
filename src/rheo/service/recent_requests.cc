#include "rheo/service/recent_requests.h"

namespace rheo::service {

Status RecentRequests::Check(RequestId id, std::string_view method) {
  if (id.value == 0) return OkStatus();
  MutexLock lock(mutex_);
  if (!known_.insert(id.value).second) {
    return Aborted("The same {} request was received twice. request_id: {}", method, id.value);
  }
  if (ring_.size() < capacity_) {
    ring_.push_back(id.value);
    return OkStatus();
  }
  known_.erase(ring_[oldest_]);
  ring_[oldest_] = id.value;
  oldest_ = (oldest_ + 1) % capacity_;
  return OkStatus();
}

}  // namespace rheo::service
