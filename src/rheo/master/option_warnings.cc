#include "rheo/master/option_warnings.h"

#include <fmt/ranges.h>

#include "rheo/base/log.h"

namespace rheo::master {

void OptionWarnings::Warn(const SessionHandle& session, const std::vector<std::string>& fields) {
  if (fields.empty()) return;
  std::vector<std::string> fresh;
  {
    MutexLock lock(mutex_);
    for (const std::string& field : fields) {
      if (named_.insert(field).second) fresh.push_back(field);
    }
  }
  if (fresh.empty()) return;
  RHEO_LOG(Warning, "session {}: these options have no effect here: {}", session.value,
           fmt::join(fresh, ", "));
}

}  // namespace rheo::master
