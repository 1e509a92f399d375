// RecentRequests: finds requests that came twice (wire.md 15), for masters and workers.
#ifndef RHEO_SERVICE_RECENT_REQUESTS_H_
#define RHEO_SERVICE_RECENT_REQUESTS_H_

#include <string_view>

#include "rheo/base/ids.h"
#include "rheo/base/mutex.h"
#include "rheo/base/recent_set.h"
#include "rheo/base/status.h"

namespace rheo::service {

// Remembers the last 100 000 request ids. Thread-safe.
class RecentRequests {
 public:
  explicit RecentRequests(size_t capacity = 100'000) : known_(capacity) {}

  // ABORTED "The same <method> request was received twice." when `id` is remembered; id 0 is never
  // checked. `method` as in "RunGraph (Worker)".
  Status Check(RequestId id, std::string_view method);

 private:
  Mutex mutex_;
  RecentSet<RequestId> known_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::service

#endif  // RHEO_SERVICE_RECENT_REQUESTS_H_
