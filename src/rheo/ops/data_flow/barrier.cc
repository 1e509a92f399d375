#include "rheo/ops/data_flow/barrier.h"

#include <algorithm>
#include <utility>

namespace rheo::ops {

using kernel::OpCall;
using kernel::Waiters;

StatusOr<std::shared_ptr<Barrier>> Barrier::Make(std::string name, const Spec& spec) {
  return std::make_shared<Barrier>(std::move(name), spec);
}

Barrier::Barrier(std::string name, Spec spec)
    : name_(std::move(name)), spec_(std::move(spec)), waiters_(mutex_, {Waiters::Order::kFirst}) {}

Status Barrier::CheckSame(const Spec& other) const {
  if (other.dtypes == spec_.dtypes && other.shapes == spec_.shapes) return OkStatus();
  return InvalidArgument("Shared barrier '{}' has other component types or shapes than requested",
                         name_);
}

// ---- Inserting

Status Barrier::CheckInsert(int component, const std::vector<std::string>& keys) const {
  const auto index = static_cast<size_t>(component);
  StringSet seen;
  size_t num_new = 0;
  for (const std::string& key : keys) {
    const auto found = incomplete_.find(key);
    num_new += found == incomplete_.end();
    const bool has_value = found != incomplete_.end() && found->second.values[index].has_value();
    if (has_value || !seen.insert(key).second) {
      return InvalidArgument("Key {} already has a value for component {} in barrier {}", key,
                             component, name_);
    }
    if (closed_ && !cancelled_ && found == incomplete_.end()) {
      return Cancelled(
          "Barrier {} is closed, but attempted to insert a brand new key: {}.  Pending enqueues "
          "cancelled: 0.  Insertion index: {}.  Number of incomplete keys: {}.",
          name_, key, component, incomplete_.size());
    }
  }
  if (!cancelled_) return OkStatus();
  return Cancelled(
      "Barrier {} is closed.  Pending enqueues cancelled: 1.  Number of new insertions: {}.  "
      "Number "
      "of incomplete keys: {}.",
      name_, num_new, incomplete_.size());
}

void Barrier::InsertOne(int component, const std::string& key, Tensor value, int64_t new_index) {
  auto [at, is_new] = incomplete_.try_emplace(key);
  Incomplete& element = at->second;
  if (is_new) {
    element.index = new_index;
    element.values.resize(spec_.dtypes.size());
    element.missing = spec_.dtypes.size();
  }
  element.values[static_cast<size_t>(component)] = std::move(value);
  if (--element.missing > 0) return;
  ready_.emplace(element.index, Element{element.index, key, std::move(element.values)});
  incomplete_.erase(at);
}

Status Barrier::Insert(int component, const std::vector<std::string>& keys,
                       std::vector<Tensor> values) {
  Status status;
  waiters_.Change([&] {
    status = CheckInsert(component, keys);
    if (!status.ok()) return;
    const bool any_new =
        std::ranges::any_of(keys, [&](const std::string& k) { return !incomplete_.contains(k); });
    const int64_t index = next_index_;
    if (any_new) ++next_index_;
    for (size_t i = 0; i < keys.size(); ++i) {
      InsertOne(component, keys[i], std::move(values[i]), index);
    }
  });
  return status;
}

// ---- Taking

Waiters::Progress Barrier::TakeSome(TakeOptions& options, std::vector<Element>& taken,
                                    Status& status) {
  const auto ready = static_cast<int64_t>(ready_.size());
  int64_t count = options.count;
  if (closed_) {
    const auto incomplete = static_cast<int64_t>(incomplete_.size());
    const int64_t coming = cancelled_ ? 0 : incomplete;
    const bool waits = options.wait_for_incomplete || !options.allow_small_batch;
    const int64_t available = ready + (waits ? coming : 0);
    if (options.allow_small_batch) count = std::min(count, available);
    if (count > available || available == 0) {
      status = OutOfRange(
          "Barrier '{}' is closed and has insufficient elements (requested {}, total size {})",
          name_, count, ready + incomplete);
      return Waiters::Progress::kDone;
    }
  }
  if (ready < count) return Waiters::Progress::kNone;
  for (int64_t i = 0; i < count; ++i) {
    taken.push_back(std::move(ready_.extract(ready_.begin()).mapped()));
  }
  return Waiters::Progress::kDone;
}

void Barrier::Take(OpCall call, TakeOptions options, TakeCallback done) {
  auto taken = std::make_shared<std::vector<Element>>();
  waiters_.Start(
      0, {.owner = shared_from_this(),
          .call = std::move(call),
          .waits_for = fmt::format("{} elements of barrier '{}'", options.count, name_),
          .run = [this, options,
                  taken](Status& status) mutable { return TakeSome(options, *taken, status); },
          .give_back = nullptr,
          .stopped = "Barrier take operation was cancelled",
          .done =
              [taken, done = std::move(done)](const Status& status) mutable {
                if (status.ok()) {
                  std::move(done)(std::move(*taken));
                } else {
                  std::move(done)(status);
                }
              }});
}

// ---- The rest

Status Barrier::Close(bool cancel) {
  Status status;
  waiters_.Change([&] {
    if (cancelled_ || (closed_ && !cancel)) {
      status = Cancelled("Barrier '{}' is already closed.", name_);
      return;
    }
    closed_ = true;
    cancelled_ = cancel;
  });
  return status;
}

int64_t Barrier::ready_size() const {
  MutexLock lock(mutex_);
  return static_cast<int64_t>(ready_.size());
}

int64_t Barrier::incomplete_size() const {
  MutexLock lock(mutex_);
  return static_cast<int64_t>(incomplete_.size());
}

}  // namespace rheo::ops
