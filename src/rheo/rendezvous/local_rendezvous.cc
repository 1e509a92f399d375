#include "rheo/rendezvous/local_rendezvous.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "rheo/base/mutex.h"

namespace rheo::rendezvous {
namespace {

Status AbortStatus(const Status& status) {
  const bool consequence =
      status.code() == StatusCode::kCancelled || status.code() == StatusCode::kAborted;
  return consequence ? AsDerived(status) : status;
}

// A queue that holds one element nearly always: no memory of its own until the second.
template <typename T>
class Fifo {
 public:
  bool empty() const { return items_.empty(); }
  T& front() { return items_.front(); }
  void push_back(T item) { items_.push_back(std::move(item)); }
  void pop_front() { items_.erase(items_.begin()); }
  void erase(const T& item) {
    const auto it = std::find(items_.begin(), items_.end(), item);
    if (it != items_.end()) items_.erase(it);
  }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  absl::InlinedVector<T, 1> items_;
};

}  // namespace

struct LocalRendezvous::Table {
  struct Waiter {
    RendezvousKey key;
    RecvCallback done;
    std::chrono::steady_clock::time_point since;
    // Made before the waiter is in the table; ended outside the lock by whoever took the waiter.
    std::optional<StopCallback> on_stop;
    // Guarded by the table's mutex: somebody has the duty to call `done`.
    bool taken = false;
  };
  using WaiterRef = std::shared_ptr<Waiter>;

  struct Slot {
    RendezvousKey key;
    Fifo<Item> items;
    Fifo<WaiterRef> waiters;
  };

  // Most steps have a handful of keys at a time: a short vector beats a hash table.
  static constexpr size_t kLinearLimit = 16;

  Slot* Find(const RendezvousKey& key) RHEO_REQUIRES(mutex) {
    if (!large.empty()) {
      const auto it = large.find(key);
      return it == large.end() ? nullptr : &it->second;
    }
    for (Slot& slot : small) {
      if (slot.key == key) return &slot;
    }
    return nullptr;
  }

  Slot& FindOrAdd(const RendezvousKey& key) RHEO_REQUIRES(mutex) {
    if (Slot* slot = Find(key)) return *slot;
    if (large.empty() && small.size() < kLinearLimit) {
      small.push_back(Slot{.key = key});
      return small.back();
    }
    if (large.empty()) {
      for (Slot& slot : small) large.emplace(slot.key, std::move(slot));
      small.clear();
    }
    Slot& slot = large[key];
    slot.key = key;
    return slot;
  }

  // Answers with a value or the abort's status if there is one; `done` is untouched otherwise.
  bool AnswerNow(const RendezvousKey& key, RecvCallback& done) {
    Status status;
    Item item;
    {
      MutexLock lock(mutex);
      status = aborted;
      if (status.ok()) {
        Slot* slot = Find(key);
        if (slot == nullptr || slot->items.empty()) return false;
        item = std::move(slot->items.front());
        slot->items.pop_front();
        Trim(key);
      }
    }
    if (status.ok()) {
      std::move(done)(std::move(item));
    } else {
      std::move(done)(std::move(status));
    }
    return true;
  }

  // An empty slot is dropped: loops use each key once.
  void Trim(const RendezvousKey& key) RHEO_REQUIRES(mutex) {
    if (!large.empty()) {
      const auto it = large.find(key);
      if (it != large.end() && it->second.items.empty() && it->second.waiters.empty()) {
        large.erase(it);
      }
      return;
    }
    for (auto it = small.begin(); it != small.end(); ++it) {
      if (it->key == key && it->items.empty() && it->waiters.empty()) {
        if (&*it != &small.back()) *it = std::move(small.back());
        small.pop_back();
        return;
      }
    }
  }

  bool HasWaiters() {
    const auto has_waiter = [](const Slot& slot) { return !slot.waiters.empty(); };
    MutexLock lock(mutex);
    return std::ranges::any_of(small, has_waiter) ||
           std::ranges::any_of(large, [&](const auto& entry) { return has_waiter(entry.second); });
  }

  void Cancel(const std::weak_ptr<Waiter>& weak) {
    const WaiterRef waiter = weak.lock();
    if (waiter == nullptr) return;
    {
      MutexLock lock(mutex);
      if (waiter->taken) return;
      waiter->taken = true;
      if (Slot* slot = Find(waiter->key)) {
        slot->waiters.erase(waiter);
        Trim(waiter->key);
      }
    }
    std::move(waiter->done)(
        AsDerived(Cancelled("RecvAsync is cancelled; {} has not come", waiter->key.Describe())));
  }

  Mutex mutex;
  Status aborted RHEO_GUARDED_BY(mutex);
  std::vector<Slot> small RHEO_GUARDED_BY(mutex);
  absl::flat_hash_map<RendezvousKey, Slot> large RHEO_GUARDED_BY(mutex);
};

LocalRendezvous::LocalRendezvous() : table_(std::make_shared<Table>()) {}

LocalRendezvous::~LocalRendezvous() {
  if (table_->HasWaiters()) Abort(Cancelled("the step has ended"));
}

Status LocalRendezvous::Send(const RendezvousKey& key, Item item) {
  Table::WaiterRef waiter;
  {
    MutexLock lock(table_->mutex);
    if (!table_->aborted.ok()) return table_->aborted;
    Table::Slot& slot = table_->FindOrAdd(key);
    if (slot.waiters.empty()) {
      slot.items.push_back(std::move(item));
      return OkStatus();
    }
    waiter = std::move(slot.waiters.front());
    slot.waiters.pop_front();
    waiter->taken = true;
    table_->Trim(key);
  }
  waiter->on_stop.reset();
  std::move(waiter->done)(std::move(item));
  return OkStatus();
}

void LocalRendezvous::Recv(const RendezvousKey& key, StopToken stop, RecvCallback done) {
  if (table_->AnswerNow(key, done)) return;
  auto waiter = std::make_shared<Table::Waiter>();
  waiter->key = key;
  waiter->done = std::move(done);
  waiter->since = std::chrono::steady_clock::now();
  if (stop.stop_possible()) {
    // Before the waiter is in the table, and outside the lock: the callback may run right here.
    waiter->on_stop.emplace(std::move(stop), [table = std::weak_ptr<Table>(table_),
                                              weak = std::weak_ptr<Table::Waiter>(waiter)] {
      if (const std::shared_ptr<Table> t = table.lock()) t->Cancel(weak);
    });
  }
  Status aborted;
  Item item;
  {
    MutexLock lock(table_->mutex);
    if (waiter->taken) return;  // stopped meanwhile, and answered
    aborted = table_->aborted;
    Table::Slot* slot = table_->Find(key);
    const bool has_item = slot != nullptr && !slot->items.empty();
    if (aborted.ok() && !has_item) {
      table_->FindOrAdd(key).waiters.push_back(std::move(waiter));
      return;
    }
    waiter->taken = true;
    if (aborted.ok()) {
      item = std::move(slot->items.front());
      slot->items.pop_front();
      table_->Trim(key);
    }
  }
  waiter->on_stop.reset();
  if (aborted.ok()) {
    std::move(waiter->done)(std::move(item));
  } else {
    std::move(waiter->done)(std::move(aborted));
  }
}

void LocalRendezvous::Abort(const Status& status) {
  std::vector<Table::WaiterRef> waiters;
  Status reason;
  {
    MutexLock lock(table_->mutex);
    if (!table_->aborted.ok()) return;
    table_->aborted = AbortStatus(status);
    reason = table_->aborted;
    const auto collect = [&waiters](Table::Slot& slot) {
      for (Table::WaiterRef& waiter : slot.waiters) {
        waiter->taken = true;
        waiters.push_back(std::move(waiter));
      }
    };
    for (Table::Slot& slot : table_->small) collect(slot);
    for (auto& [key, slot] : table_->large) collect(slot);
    table_->small.clear();
    table_->large.clear();
  }
  for (const Table::WaiterRef& waiter : waiters) {
    waiter->on_stop.reset();
    std::move(waiter->done)(reason);
  }
}

std::vector<WaitingRecv> LocalRendezvous::Waiting() const {
  std::vector<WaitingRecv> waiting;
  MutexLock lock(table_->mutex);
  const auto collect = [&waiting](const Table::Slot& slot) {
    for (const Table::WaiterRef& waiter : slot.waiters) {
      waiting.push_back({waiter->key, waiter->since});
    }
  };
  for (const Table::Slot& slot : table_->small) collect(slot);
  for (const auto& [key, slot] : table_->large) collect(slot);
  return waiting;
}

StatusOr<Item> LocalRendezvous::TryTake(const RendezvousKey& key) {
  MutexLock lock(table_->mutex);
  if (!table_->aborted.ok()) return table_->aborted;
  Table::Slot* slot = table_->Find(key);
  if (slot == nullptr || slot->items.empty()) {
    return NotFound("there is no value of {}", key.Describe());
  }
  Item item = std::move(slot->items.front());
  slot->items.pop_front();
  table_->Trim(key);
  return item;
}

bool LocalRendezvous::HasValues() const {
  MutexLock lock(table_->mutex);
  const auto has_value = [](const Table::Slot& slot) { return !slot.items.empty(); };
  return std::ranges::any_of(table_->small, has_value) ||
         std::ranges::any_of(table_->large,
                             [&](const auto& entry) { return has_value(entry.second); });
}

void LocalRendezvous::Reset() {
  MutexLock lock(table_->mutex);
  table_->aborted = OkStatus();
  table_->small.clear();
  table_->large.clear();
}

}  // namespace rheo::rendezvous
