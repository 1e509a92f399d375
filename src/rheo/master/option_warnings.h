// OptionWarnings: tells in the log, once a session, which options have no effect.
#ifndef RHEO_MASTER_OPTION_WARNINGS_H_
#define RHEO_MASTER_OPTION_WARNINGS_H_

#include <string>
#include <vector>

#include "rheo/base/ids.h"
#include "rheo/base/mutex.h"
#include "rheo/base/string_map.h"

namespace rheo::master {

// Thread-safe.
class OptionWarnings {
 public:
  // One line that names those of `fields` that were not named before; none when all were.
  void Warn(const SessionHandle& session, const std::vector<std::string>& fields);

 private:
  Mutex mutex_;
  StringSet named_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::master

#endif  // RHEO_MASTER_OPTION_WARNINGS_H_
