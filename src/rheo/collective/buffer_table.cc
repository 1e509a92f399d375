#include "rheo/collective/buffer_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "rheo/collective/layout.h"

namespace rheo::collective {

BufferTable::~BufferTable() {
  const bool has_waiters = !offered_.empty() || !wanted_.empty() || !watches_.empty();
  if (has_waiters) Abort(Cancelled("the step is gone"));
}

void BufferTable::Offer(const std::string& key, Tensor piece, DoneCallback taken) {
  Status status;
  std::shared_ptr<Outcome<Tensor>> taker;
  {
    MutexLock lock(mutex_);
    status = aborted_;
    const auto it = wanted_.find(key);
    if (it != wanted_.end()) {
      taker = std::move(it->second);
      wanted_.erase(it);
    } else if (status.ok()) {
      Offered& offered = offered_[key];
      if (offered.taken == nullptr) {
        offered = {std::move(piece), std::move(taken)};
        return;
      }
      status = Internal("two pieces of one step have the key {}", key);
    }
  }
  if (taker != nullptr) taker->Set(status.ok() ? StatusOr<Tensor>(std::move(piece)) : status);
  taken(std::move(status));
}

Status BufferTable::Compare(const Member& member, const Wanted& wanted) {
  if (wanted.terms.empty() ? !member.gives_nothing || wanted.num_bytes == 0
                           : wanted.terms == member.terms) {
    return OkStatus();
  }
  const std::string other = wanted.terms.empty() ? fmt::format("expects {} bytes", wanted.num_bytes)
                                                 : "does " + wanted.terms;
  return InvalidArgument(
      "members of one collective must do the same: in instance {}, {} does {}, {} {}",
      InstanceOf(wanted.key), wanted.from, member.terms, wanted.to, other);
}

// Members that are not here yet are compared when they come.
Status BufferTable::Check(const Wanted& wanted) {
  const std::pair id(std::string(InstanceOf(wanted.key)), wanted.from);
  const auto known = members_.find(id);
  if (known != members_.end() && known->second.is_here) return Compare(known->second, wanted);
  if (num_to_compare_ == kMaxToCompare) return OkStatus();
  Member& member = known != members_.end() ? known->second : members_[id];
  const auto says_same = [&wanted](const Wanted& other) {
    return other.to == wanted.to && other.terms == wanted.terms;
  };
  if (std::ranges::any_of(member.wanted, says_same)) return OkStatus();
  member.wanted.push_back(wanted);
  ++num_to_compare_;
  return OkStatus();
}

void BufferTable::Join(const std::string& instance, const std::string& device,
                       const std::string& terms, bool gives_nothing) {
  Status status;
  {
    MutexLock lock(mutex_);
    if (!aborted_.ok()) return;
    Member& member = members_[{instance, device}];
    member.is_here = true;
    member.gives_nothing = gives_nothing;
    member.terms = terms;
    num_to_compare_ -= member.wanted.size();
    for (const Wanted& wanted : std::exchange(member.wanted, {})) {
      if (status.ok()) status = Compare(member, wanted);
    }
  }
  if (!status.ok()) End(status);
}

void BufferTable::Leave(const std::string& instance, const std::string& device) {
  MutexLock lock(mutex_);
  const auto it = members_.find({instance, device});
  if (it == members_.end()) return;
  num_to_compare_ -= it->second.wanted.size();
  members_.erase(it);
}

void BufferTable::Take(const Wanted& wanted, StopToken stop, TakeCallback done) {
  const std::string& key = wanted.key;
  Status status;
  Status differs;
  Offered found;
  std::shared_ptr<Outcome<Tensor>> wait;
  {
    MutexLock lock(mutex_);
    status = aborted_;
    if (status.ok()) status = differs = Check(wanted);
    if (!status.ok()) {
      // Nothing is taken.
    } else if (const auto it = offered_.find(key); it != offered_.end()) {
      found = std::move(it->second);
      offered_.erase(it);
    } else {
      auto& waiting = wanted_[key];
      if (waiting == nullptr) {
        waiting = std::make_shared<Outcome<Tensor>>();
        wait = waiting;
      } else {
        status = Internal("the piece {} is asked for twice", key);
      }
    }
  }
  if (wait != nullptr) {
    return wait->Wait(std::move(stop), [this, key, wait = wait.get(),
                                        done = std::move(done)](StatusOr<Tensor> piece) mutable {
      if (!piece.ok()) {
        // Whoever left takes his place along.
        MutexLock lock(mutex_);
        const auto it = wanted_.find(key);
        if (it != wanted_.end() && it->second.get() == wait) wanted_.erase(it);
      }
      done(std::move(piece));
    });
  }
  if (!differs.ok()) End(differs);
  if (!status.ok()) return done(std::move(status));
  done(std::move(found.piece));
  found.taken(OkStatus());
}

void BufferTable::End(const Status& status) {
  StringMap<Offered> offered;
  StringMap<std::shared_ptr<Outcome<Tensor>>> wanted;
  absl::flat_hash_map<uint64_t, DoneCallback> watches;
  {
    MutexLock lock(mutex_);
    if (!aborted_.ok()) return;
    aborted_ = status;
    offered.swap(offered_);
    wanted.swap(wanted_);
    watches.swap(watches_);
  }
  for (auto& [key, outcome] : wanted) outcome->Set(status);
  for (auto& [key, piece] : offered) piece.taken(status);
  for (auto& [id, on_abort] : watches) on_abort(status);
}

uint64_t BufferTable::Watch(DoneCallback on_abort) {
  Status status;
  {
    MutexLock lock(mutex_);
    if (aborted_.ok()) {
      watches_.emplace(++last_watch_, std::move(on_abort));
      return last_watch_;
    }
    status = aborted_;
  }
  on_abort(status);
  return 0;
}

void BufferTable::Unwatch(uint64_t id) {
  DoneCallback gone;
  MutexLock lock(mutex_);
  if (const auto it = watches_.find(id); it != watches_.end()) {
    gone = std::move(it->second);
    watches_.erase(it);
  }
  lock.Unlock();  // what the callback holds goes without the lock
}

}  // namespace rheo::collective
