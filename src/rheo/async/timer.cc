#include "rheo/async/timer.h"

#include <pthread.h>

namespace rheo {

TimerQueue::~TimerQueue() { Stop(); }

void TimerQueue::Stop() {
  std::map<Id, absl::AnyInvocable<void()>> forgotten;  // destroyed without the lock
  std::thread thread;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    forgotten.swap(pending_);
    thread = std::move(thread_);
    changed_.NotifyAll();
  }
  if (thread.joinable()) thread.join();
}

TimerQueue::Id TimerQueue::Add(Time when, absl::AnyInvocable<void()> callback) {
  MutexLock lock(mutex_);
  const Id id(when, next_id_++);
  if (stopping_) return id;
  pending_.emplace(id, std::move(callback));
  if (!thread_.joinable()) {
    thread_ = std::thread([this] {
      pthread_setname_np(pthread_self(), "timer");
      Loop();
    });
  } else if (when < next_look_) {
    changed_.NotifyAll();
  }
  return id;
}

bool TimerQueue::Cancel(const Id& id) {
  absl::AnyInvocable<void()> dropped;  // destroyed without the lock
  MutexLock lock(mutex_);
  auto it = pending_.find(id);
  if (it == pending_.end()) return false;
  dropped = std::move(it->second);
  pending_.erase(it);
  lock.Unlock();
  return true;
}

void TimerQueue::Loop() {
  while (true) {
    absl::AnyInvocable<void()> due;
    {
      MutexLock lock(mutex_);
      if (stopping_) return;
      const Time first = pending_.empty() ? Time::max() : pending_.begin()->first.first;
      if (first > std::chrono::steady_clock::now()) {
        next_look_ = first;
        const auto woken = [this, first]() RHEO_NO_THREAD_SAFETY_ANALYSIS {
          return stopping_ || (!pending_.empty() && pending_.begin()->first.first < first);
        };
        if (first == Time::max()) {
          changed_.Wait(mutex_, woken);
        } else {
          changed_.WaitUntil(mutex_, first, woken);
        }
        next_look_ = Time::min();
        continue;
      }
      due = std::move(pending_.begin()->second);
      pending_.erase(pending_.begin());
    }
    due();
  }
}

}  // namespace rheo
