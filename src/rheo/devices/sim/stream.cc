#include "rheo/devices/sim/stream.h"

#include <utility>

namespace rheo::devices::sim {

SimStream::SimStream(std::string name) : thread_({.name = std::move(name), .num_threads = 1}) {}

void SimStream::Enqueue(absl::AnyInvocable<void()> work) {
  MutexLock lock(mutex_);
  queue_.push_back(std::move(work));
  if (std::exchange(draining_, true)) return;
  lock.Unlock();
  thread_.Schedule([this] { Drain(); });
}

void SimStream::WhenDone(absl::AnyInvocable<void(Status)> done) {
  Enqueue([done = std::move(done)]() mutable { std::move(done)(OkStatus()); });
}

void SimStream::Drain() {
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
