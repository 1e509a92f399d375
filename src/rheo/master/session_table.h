// SessionTable: the sessions of a master, by handle.
#ifndef RHEO_MASTER_SESSION_TABLE_H_
#define RHEO_MASTER_SESSION_TABLE_H_

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "rheo/base/mutex.h"
#include "rheo/base/string_map.h"
#include "rheo/master/deadlines.h"
#include "rheo/master/master_session.h"

namespace rheo::master {

// Thread-safe.
class SessionTable {
 public:
  // Keeps a place for a session that is being made, unless `limit` (0: none) are open or made
  // already. Give it back by Add or by Unreserve.
  bool Reserve(int64_t limit) {
    MutexLock lock(mutex_);
    if (limit > 0 && static_cast<int64_t>(sessions_.size()) + num_reserved_ >= limit) return false;
    ++num_reserved_;
    return true;
  }
  void Unreserve() {
    MutexLock lock(mutex_);
    --num_reserved_;
  }

  // False when the table was shut: the session stays the caller's.
  bool Add(std::shared_ptr<MasterSession> session) {
    MutexLock lock(mutex_);
    --num_reserved_;
    if (is_shut_) return false;
    sessions_.emplace(session->handle().value, Entry{.session = session});
    return true;
  }

  // nullptr when there is no such session.
  std::shared_ptr<MasterSession> Find(const SessionHandle& handle) const {
    MutexLock lock(mutex_);
    const auto it = sessions_.find(handle.value);
    return it == sessions_.end() ? nullptr : it->second.session;
  }

  std::shared_ptr<MasterSession> Remove(const SessionHandle& handle) {
    MutexLock lock(mutex_);
    const auto it = sessions_.find(handle.value);
    if (it == sessions_.end()) return nullptr;
    std::shared_ptr<MasterSession> session = std::move(it->second.session);
    sessions_.erase(it);
    return session;
  }

  // Removes all; with `shut` none comes after them.
  std::vector<std::shared_ptr<MasterSession>> RemoveAll(bool shut) {
    MutexLock lock(mutex_);
    is_shut_ = is_shut_ || shut;
    std::vector<std::shared_ptr<MasterSession>> sessions;
    for (auto& [handle, entry] : sessions_) sessions.push_back(std::move(entry.session));
    sessions_.clear();
    return sessions;
  }

  // Removes those that nobody has used for `limit`, as far as earlier calls of this tell.
  std::vector<std::shared_ptr<MasterSession>> RemoveUnused(Clock::time_point now,
                                                           Clock::duration limit) {
    MutexLock lock(mutex_);
    std::vector<std::shared_ptr<MasterSession>> unused;
    for (auto it = sessions_.begin(); it != sessions_.end();) {
      Entry& entry = it->second;
      const StepGate::Use use = entry.session->use();
      if (use.is_in || !entry.unused_since || use.count != entry.use_count) {
        entry.unused_since = now;
        entry.use_count = use.count;
      }
      if (now - *entry.unused_since < limit) {
        ++it;
        continue;
      }
      unused.push_back(std::move(entry.session));
      sessions_.erase(it++);
    }
    return unused;
  }

  int size() const {
    MutexLock lock(mutex_);
    return static_cast<int>(sessions_.size());
  }

 private:
  struct Entry {
    std::shared_ptr<MasterSession> session;
    // When RemoveUnused looked first and found it as it is now.
    std::optional<Clock::time_point> unused_since;
    uint32_t use_count = 0;
  };

  mutable Mutex mutex_;
  bool is_shut_ RHEO_GUARDED_BY(mutex_) = false;
  int64_t num_reserved_ RHEO_GUARDED_BY(mutex_) = 0;
  StringMap<Entry> sessions_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::master

#endif  // RHEO_MASTER_SESSION_TABLE_H_
