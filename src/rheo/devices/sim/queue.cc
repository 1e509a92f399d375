#include "rheo/devices/sim/queue.h"

#include <utility>

namespace rheo::devices::sim {

SimQueue::SimQueue(std::string name) : thread_({.name = std::move(name), .num_threads = 1}) {}

void SimQueue::Add(absl::AnyInvocable<void()> work) {
  MutexLock lock(mutex_);
  queue_.push_back(std::move(work));
  if (std::exchange(draining_, true)) return;
  lock.Unlock();
  thread_.Schedule([this] { Drain(); });
}

void SimQueue::Drain() {
  while (true) {
    absl::AnyInvocable<void()> work;
    {
      MutexLock lock(mutex_);
      if (queue_.empty()) {
        draining_ = false;
        return;
      }
      work = std::move(queue_.front());
      queue_.pop_front();
    }
    std::move(work)();
  }
}

}  // namespace rheo::devices::sim
