#include "rheo/kernel/waiters.h"

#include <optional>
#include <utility>

namespace rheo::kernel {

struct Waiters::Waiter {
  explicit Waiter(Attempt a) : attempt(std::move(a)) {}

  Attempt attempt;
  Status status;
  std::chrono::steady_clock::time_point since;
  // Made before the waiter is in its line; ended outside the lock by whoever took the waiter.
  std::optional<StopCallback> on_stop;
  // Guarded by the lock: somebody has the duty to call `done`.
  bool taken = false;
};

Waiters::Waiters(Mutex& mutex, const std::vector<Order>& lines) : mutex_(mutex) {
  for (const Order order : lines) lines_.push_back({order, {}});
}

Waiters::~Waiters() = default;

bool Waiters::ServeLine(Line& line) {
  bool progress = false;
  for (auto it = line.waiting.begin(); it != line.waiting.end();) {
    const WaiterRef waiter = *it;
    const Progress made = waiter->attempt.run(waiter->status);
    progress |= made != Progress::kNone;
    if (made == Progress::kDone) {
      waiter->taken = true;
      ended_.push_back(waiter);
      it = line.waiting.erase(it);
    } else if (line.order == Order::kFirst) {
      break;
    } else {
      ++it;
    }
  }
  return progress;
}

void Waiters::Serve() {
  bool progress = true;
  while (progress) {
    progress = false;
    for (Line& line : lines_) progress |= ServeLine(line);
  }
}

void Waiters::Finish(std::vector<WaiterRef> ended) {
  for (WaiterRef& waiter : ended) {
    waiter->on_stop.reset();
    std::move(waiter->attempt.done)(std::move(waiter->status));
    waiter.reset();
  }
}

void Waiters::Start(size_t line, Attempt attempt) {
  const auto waiter = std::make_shared<Waiter>(std::move(attempt));
  // Alive to the end of this function, whatever the callbacks do.
  const std::shared_ptr<void> owner = waiter->attempt.owner;
  std::vector<WaiterRef> ended;
  bool is_done = false;
  {
    MutexLock lock(mutex_);
    if (lines_[line].order == Order::kAny || lines_[line].waiting.empty()) {
      const Progress made = waiter->attempt.run(waiter->status);
      if (made == Progress::kDone) {
        is_done = waiter->taken = true;
        ended_.push_back(waiter);
      }
      if (made != Progress::kNone) Serve();
      ended.swap(ended_);
    }
  }
  Finish(std::move(ended));
  if (is_done) return;

  waiter->since = std::chrono::steady_clock::now();
  if (waiter->attempt.call.stop.stop_possible()) {
    // Outside the lock: the callback may run right here.
    StopToken stop = waiter->attempt.call.stop;
    waiter->on_stop.emplace(
        std::move(stop), [this, line, weak = std::weak_ptr<Waiter>(waiter)] { Stop(line, weak); });
  }
  ended.clear();
  {
    MutexLock lock(mutex_);
    if (waiter->taken) return;  // stopped meanwhile, and answered
    lines_[line].waiting.push_back(waiter);
    Serve();
    ended.swap(ended_);
  }
  Finish(std::move(ended));
}

void Waiters::Change(absl::FunctionRef<void()> change) {
  std::vector<WaiterRef> ended;
  {
    MutexLock lock(mutex_);
    change();
    Serve();
    ended.swap(ended_);
  }
  Finish(std::move(ended));
}

void Waiters::EndAll(size_t line, const Status& status) {
  for (const WaiterRef& waiter : lines_[line].waiting) {
    waiter->taken = true;
    waiter->status = status;
    ended_.push_back(waiter);
  }
  lines_[line].waiting.clear();
}

void Waiters::Stop(size_t line, const std::weak_ptr<Waiter>& weak) {
  // Holds the resource, and with it this object, until the end.
  const WaiterRef waiter = weak.lock();
  if (waiter == nullptr) return;
  std::vector<WaiterRef> ended;
  {
    MutexLock lock(mutex_);
    if (waiter->taken) return;
    waiter->taken = true;
    lines_[line].waiting.remove(waiter);
    if (waiter->attempt.give_back) waiter->attempt.give_back();
    Serve();
    ended.swap(ended_);
  }
  Finish(std::move(ended));
  std::move(waiter->attempt.done)(AsDerived(Cancelled("{}", waiter->attempt.stopped)));
}

std::vector<BlockedOp> Waiters::List() const {
  std::vector<BlockedOp> list;
  MutexLock lock(mutex_);
  for (const Line& line : lines_) {
    for (const WaiterRef& w : line.waiting) {
      list.push_back({w->attempt.call.step, w->attempt.call.node, w->attempt.waits_for, w->since});
    }
  }
  return list;
}

}  // namespace rheo::kernel
