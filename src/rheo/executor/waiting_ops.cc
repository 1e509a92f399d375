#include "rheo/executor/waiting_ops.h"

#include <algorithm>

namespace rheo::executor {

uint64_t WaitingOps::Add(StepId step, const std::string& what) {
  MutexLock lock(mutex_);
  entries_.emplace(++last_, Entry{step, &what, std::chrono::steady_clock::now()});
  return last_;
}

void WaitingOps::Remove(uint64_t id) {
  MutexLock lock(mutex_);
  entries_.erase(id);
}

std::vector<WaitingOp> WaitingOps::List() const {
  std::vector<WaitingOp> ops;
  {
    MutexLock lock(mutex_);
    for (const auto& [id, entry] : entries_) ops.push_back({entry.step, *entry.what, entry.since});
  }
  std::ranges::sort(ops, {}, &WaitingOp::since);
  return ops;
}

}  // namespace rheo::executor
