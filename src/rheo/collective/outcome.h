// Outcome: an answer that several callers wait for, each of whom may leave before it comes.
#ifndef RHEO_COLLECTIVE_OUTCOME_H_
#define RHEO_COLLECTIVE_OUTCOME_H_

#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "rheo/async/stop.h"
#include "rheo/base/mutex.h"
#include "rheo/base/status.h"

namespace rheo::collective {

// Thread-safe. Owned by shared_ptr.
template <typename T>
class Outcome : public std::enable_shared_from_this<Outcome<T>> {
 public:
  using Callback = absl::AnyInvocable<void(StatusOr<T>)>;

  // Calls `done` once: with the answer, inside this call when it is there, or CANCELLED (derived)
  // once `stop` fires. Never under a lock.
  void Wait(StopToken stop, Callback done) {
    const uint64_t id = Enter(done);
    if (id == 0) return done(*answer_);  // never changes once it is there
    if (!stop.stop_possible()) return;
    auto on_stop =
        std::make_unique<StopCallback>(std::move(stop), [weak = this->weak_from_this(), id] {
          if (const auto self = weak.lock()) self->Leave(id);
        });
    MutexLock lock(mutex_);
    if (const auto it = waiting_.find(id); it != waiting_.end()) {
      it->second.on_stop = std::move(on_stop);
    }
    lock.Unlock();  // what is left ends without the lock
  }

  // Only the first answer counts.
  void Set(const StatusOr<T>& answer) {
    std::map<uint64_t, Waiter> waiting;
    {
      MutexLock lock(mutex_);
      if (answer_) return;
      answer_.emplace(answer);
      waiting.swap(waiting_);
    }
    for (auto& [id, waiter] : waiting) {
      waiter.on_stop.reset();
      waiter.done(answer);
    }
  }

  bool is_set() const {
    MutexLock lock(mutex_);
    return answer_.has_value();
  }

 private:
  struct Waiter {
    Callback done;
    std::unique_ptr<StopCallback> on_stop;
  };

  // Takes `done` over and names it, or gives 0 when the answer is there.
  uint64_t Enter(Callback& done) {
    MutexLock lock(mutex_);
    if (answer_) return 0;
    waiting_.emplace(++last_id_, Waiter{std::move(done), nullptr});
    return last_id_;
  }

  void Leave(uint64_t id) {
    Waiter waiter;
    {
      MutexLock lock(mutex_);
      const auto it = waiting_.find(id);
      if (it == waiting_.end()) return;
      waiter = std::move(it->second);
      waiting_.erase(it);
    }
    waiter.done(AsDerived(Cancelled("the wait was cancelled")));
  }

  mutable Mutex mutex_;
  uint64_t last_id_ RHEO_GUARDED_BY(mutex_) = 0;
  // Written once, under the mutex.
  std::optional<StatusOr<T>> answer_;
  std::map<uint64_t, Waiter> waiting_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::collective

#endif  // RHEO_COLLECTIVE_OUTCOME_H_
