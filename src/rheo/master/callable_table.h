// CallableTable: the callables of a session, by handle.
#ifndef RHEO_MASTER_CALLABLE_TABLE_H_
#define RHEO_MASTER_CALLABLE_TABLE_H_

#include <memory>
#include <utility>
#include <vector>

#include "rheo/base/mutex.h"
#include "rheo/master/compiled_step.h"
#include "rheo/service/master_service.h"

namespace rheo::master {

struct Callable {
  std::shared_ptr<const CompiledStep> step;
  std::vector<int> feed_slots;   // by position in CallableOptions::feeds
  std::vector<int> fetch_slots;  // by position in CallableOptions::fetches
  service::RunOptions options;
};

// Thread-safe. Handles count from 0 and are never used twice.
class CallableTable {
 public:
  int64_t Add(std::shared_ptr<const Callable> callable) {
    MutexLock lock(mutex_);
    callables_.push_back(std::move(callable));
    return static_cast<int64_t>(callables_.size()) - 1;
  }

  // INVALID_ARGUMENT for a handle that was never given, or was released.
  StatusOr<std::shared_ptr<const Callable>> Find(int64_t handle) const {
    MutexLock lock(mutex_);
    if (!IsKnown(handle)) return InvalidArgument("No such callable handle: {}", handle);
    const std::shared_ptr<const Callable>& callable = callables_[static_cast<size_t>(handle)];
    if (callable == nullptr) {
      return InvalidArgument("Attempted to run callable after handle was released: {}", handle);
    }
    return callable;
  }

  // The callable, which the table forgets; nullptr for any handle it does not hold.
  std::shared_ptr<const Callable> Remove(int64_t handle) {
    MutexLock lock(mutex_);
    if (!IsKnown(handle)) return nullptr;
    return std::exchange(callables_[static_cast<size_t>(handle)], nullptr);
  }

  void Clear() {
    std::vector<std::shared_ptr<const Callable>> dropped;  // destroyed without the lock
    MutexLock lock(mutex_);
    dropped.swap(callables_);
  }

 private:
  bool IsKnown(int64_t handle) const RHEO_REQUIRES(mutex_) {
    return handle >= 0 && handle < static_cast<int64_t>(callables_.size());
  }

  mutable Mutex mutex_;
  std::vector<std::shared_ptr<const Callable>> callables_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::master

#endif  // RHEO_MASTER_CALLABLE_TABLE_H_
