// SessionTable: the sessions of a master, by handle.
#ifndef RHEO_MASTER_SESSION_TABLE_H_
#define RHEO_MASTER_SESSION_TABLE_H_

#include <memory>
#include <utility>
#include <vector>

#include "rheo/base/mutex.h"
#include "rheo/base/string_map.h"
#include "rheo/master/master_session.h"

namespace rheo::master {

// Thread-safe.
class SessionTable {
 public:
  // False when the table was shut: the session stays the caller's.
  bool Add(std::shared_ptr<MasterSession> session) {
    MutexLock lock(mutex_);
    if (is_shut_) return false;
    sessions_.emplace(session->handle().value, std::move(session));
    return true;
  }

  // nullptr when there is no such session.
  std::shared_ptr<MasterSession> Find(const SessionHandle& handle) const {
    MutexLock lock(mutex_);
    const auto it = sessions_.find(handle.value);
    return it == sessions_.end() ? nullptr : it->second;
  }

  std::shared_ptr<MasterSession> Remove(const SessionHandle& handle) {
    MutexLock lock(mutex_);
    const auto it = sessions_.find(handle.value);
    if (it == sessions_.end()) return nullptr;
    std::shared_ptr<MasterSession> session = std::move(it->second);
    sessions_.erase(it);
    return session;
  }

  // Removes all; with `shut` none comes after them.
  std::vector<std::shared_ptr<MasterSession>> RemoveAll(bool shut) {
    MutexLock lock(mutex_);
    is_shut_ = is_shut_ || shut;
    std::vector<std::shared_ptr<MasterSession>> sessions;
    for (auto& [handle, session] : sessions_) sessions.push_back(std::move(session));
    sessions_.clear();
    return sessions;
  }

  int size() const {
    MutexLock lock(mutex_);
    return static_cast<int>(sessions_.size());
  }

 private:
  mutable Mutex mutex_;
  bool is_shut_ RHEO_GUARDED_BY(mutex_) = false;
  StringMap<std::shared_ptr<MasterSession>> sessions_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::master

#endif  // RHEO_MASTER_SESSION_TABLE_H_
