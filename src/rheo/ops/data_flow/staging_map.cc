#include "rheo/ops/data_flow/staging_map.h"

#include <algorithm>
#include <utility>

namespace rheo::ops {

using kernel::OpCall;
using kernel::Waiters;

namespace {

bool AllHaveValues(const Tuple& tuple) { return std::ranges::all_of(tuple, &Tensor::has_value); }
bool NoneHasValue(const Tuple& tuple) { return std::ranges::none_of(tuple, &Tensor::has_value); }

}  // namespace

StagingMap::StagingMap(std::string name, StagingSpec spec)
    : name_(std::move(name)),
      spec_(spec),
      waiters_(mutex_, {Waiters::Order::kFirst, Waiters::Order::kAny}) {}

// ---- Putting in

StagingMap::Progress StagingMap::PutNow(int64_t key, const Positions& positions, Tuple& values,
                                        size_t num_components, int64_t bytes, Status& status) {
  const bool is_full =
      spec_.capacity > 0 && static_cast<int64_t>(complete_.size()) >= spec_.capacity;
  if (is_full || (spec_.memory_limit > 0 && bytes_ + bytes > spec_.memory_limit)) {
    return Progress::kNone;
  }
  if (complete_.contains(key)) {
    status =
        InvalidArgument("key '{}' of staging map '{}' has a complete tuple already", key, name_);
    return Progress::kDone;
  }
  const auto [at, is_new] = incomplete_.try_emplace(key);
  Tuple& tuple = at->second;
  if (is_new) tuple.resize(num_components);
  for (const int position : positions) {
    if (static_cast<size_t>(position) < tuple.size() &&
        !tuple[static_cast<size_t>(position)].has_value()) {
      continue;
    }
    status = InvalidArgument("The tensor for index '{}' for key '{}' was already initialized '{}'.",
                             position, key, tuple.size());
    return Progress::kDone;
  }
  for (size_t i = 0; i < positions.size(); ++i) {
    tuple[static_cast<size_t>(positions[i])] = std::move(values[i]);
  }
  bytes_ += bytes;
  if (AllHaveValues(tuple)) {
    complete_.emplace(key, std::move(tuple));
    incomplete_.erase(key);
  }
  return Progress::kDone;
}

void StagingMap::Put(OpCall call, int64_t key, Positions positions, Tuple values,
                     size_t num_components, DoneCallback done) {
  const int64_t bytes = BytesOf(values);
  if (Status status = CheckMemoryLimit(spec_, bytes); !status.ok()) {
    return std::move(done)(std::move(status));
  }
  waiters_.Start(kPutters,
                 {.owner = shared_from_this(),
                  .call = std::move(call),
                  .waits_for = fmt::format("room in staging map '{}'", name_),
                  .run =
                      [this, key, positions = std::move(positions), values = std::move(values),
                       num_components, bytes](Status& status) mutable {
                        return PutNow(key, positions, values, num_components, bytes, status);
                      },
                  .give_back = nullptr,
                  .stopped = "MapStage operation was cancelled",
                  .done = std::move(done)});
}

// ---- Taking out

StagingMap::Progress StagingMap::TakeNow(std::map<int64_t, Tuple>::iterator found,
                                         const Positions& positions, Leave leave, Keyed& out,
                                         Status& status) {
  if (found == complete_.end()) return Progress::kNone;
  Tuple& tuple = found->second;
  for (const int position : positions) {
    if (static_cast<size_t>(position) >= tuple.size()) {
      status = InvalidArgument("index '{}' is beyond the {} components of key '{}'", position,
                               tuple.size(), found->first);
    } else if (!tuple[static_cast<size_t>(position)].has_value()) {
      status = InvalidArgument("Tensor at index '{}' for key '{}' has already been removed.",
                               position, found->first);
    }
    if (!status.ok()) return Progress::kDone;
  }
  out.key = found->first;
  for (const int position : positions) {
    Tensor& component = tuple[static_cast<size_t>(position)];
    out.tuple.push_back(leave == Leave::kTaken ? std::exchange(component, Tensor()) : component);
  }
  if (leave == Leave::kTaken) {
    bytes_ -= BytesOf(out.tuple);
    if (NoneHasValue(tuple)) complete_.erase(found);
  }
  return Progress::kDone;
}

void StagingMap::Get(OpCall call, std::optional<int64_t> key, Positions positions, Leave leave,
                     TupleCallback done) {
  auto out = std::make_shared<Keyed>();
  const std::string what = key ? fmt::format("key {}", *key) : "any key";
  waiters_.Start(kTakers,
                 {.owner = shared_from_this(),
                  .call = std::move(call),
                  .waits_for = fmt::format("{} of staging map '{}'", what, name_),
                  .run =
                      [this, key, positions = std::move(positions), leave, out](Status& status) {
                        const auto found = key ? complete_.find(*key) : complete_.begin();
                        return TakeNow(found, positions, leave, *out, status);
                      },
                  .give_back = nullptr,
                  .stopped = "MapUnstage operation was cancelled",
                  .done =
                      [out, done = std::move(done)](const Status& status) mutable {
                        if (status.ok()) {
                          std::move(done)(std::move(*out));
                        } else {
                          std::move(done)(status);
                        }
                      }});
}

void StagingMap::Take(OpCall call, int64_t key, Positions positions, TupleCallback done) {
  Get(std::move(call), key, std::move(positions), Leave::kTaken, std::move(done));
}

void StagingMap::TakeAny(OpCall call, Positions positions, TupleCallback done) {
  Get(std::move(call), std::nullopt, std::move(positions), Leave::kTaken, std::move(done));
}

void StagingMap::Peek(OpCall call, int64_t key, Positions positions, TupleCallback done) {
  Get(std::move(call), key, std::move(positions), Leave::kInPlace, std::move(done));
}

void StagingMap::Clear() {
  std::map<int64_t, Tuple> complete;  // freed after the lock is released
  std::map<int64_t, Tuple> incomplete;
  waiters_.Change([&] {
    complete.swap(complete_);
    incomplete.swap(incomplete_);
    bytes_ = 0;
  });
}

int64_t StagingMap::size() const {
  MutexLock lock(mutex_);
  return static_cast<int64_t>(complete_.size());
}

int64_t StagingMap::incomplete_size() const {
  MutexLock lock(mutex_);
  return static_cast<int64_t>(incomplete_.size());
}

}  // namespace rheo::ops
