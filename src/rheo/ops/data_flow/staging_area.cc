#include "rheo/ops/data_flow/staging_area.h"

#include <utility>

namespace rheo::ops {

using kernel::OpCall;
using kernel::Waiters;

namespace {

// A callback that hands out what an attempt has left in `tuple`.
DoneCallback Giving(std::shared_ptr<Tuple> tuple, StagingArea::TupleCallback done) {
  return [tuple = std::move(tuple), done = std::move(done)](const Status& status) mutable {
    if (status.ok()) {
      std::move(done)(std::move(*tuple));
    } else {
      std::move(done)(status);
    }
  };
}

}  // namespace

int64_t BytesOf(const Tuple& tuple) {
  int64_t bytes = 0;
  for (const Tensor& t : tuple) bytes += static_cast<int64_t>(t.num_bytes());
  return bytes;
}

Status CheckMemoryLimit(const StagingSpec& spec, int64_t bytes) {
  if (spec.memory_limit <= 0 || bytes <= spec.memory_limit) return OkStatus();
  return ResourceExhausted(
      "Attempted to insert tensors with combined size of '{}' bytes into Staging Area with a "
      "memory "
      "limit of '{}'.",
      bytes, spec.memory_limit);
}

StagingArea::StagingArea(std::string name, StagingSpec spec)
    : name_(std::move(name)),
      spec_(spec),
      waiters_(mutex_, {Waiters::Order::kFirst, Waiters::Order::kFirst, Waiters::Order::kAny}) {}

bool StagingArea::HasRoomFor(int64_t bytes) const {
  if (spec_.capacity > 0 && static_cast<int64_t>(tuples_.size()) >= spec_.capacity) return false;
  return spec_.memory_limit <= 0 || bytes_ + bytes <= spec_.memory_limit;
}

void StagingArea::Put(OpCall call, Tuple tuple, DoneCallback done) {
  const int64_t bytes = BytesOf(tuple);
  if (Status status = CheckMemoryLimit(spec_, bytes); !status.ok()) {
    return std::move(done)(std::move(status));
  }
  waiters_.Start(kPutters, {.owner = shared_from_this(),
                            .call = std::move(call),
                            .waits_for = fmt::format("room in staging area '{}'", name_),
                            .run =
                                [this, bytes, tuple = std::move(tuple)](Status&) mutable {
                                  if (!HasRoomFor(bytes)) return Waiters::Progress::kNone;
                                  tuples_.push_back(std::move(tuple));
                                  bytes_ += bytes;
                                  return Waiters::Progress::kDone;
                                },
                            .give_back = nullptr,
                            .stopped = "Stage operation was cancelled",
                            .done = std::move(done)});
}

void StagingArea::Take(OpCall call, TupleCallback done) {
  auto taken = std::make_shared<Tuple>();
  waiters_.Start(kTakers, {.owner = shared_from_this(),
                           .call = std::move(call),
                           .waits_for = fmt::format("a tuple of staging area '{}'", name_),
                           .run =
                               [this, taken](Status&) {
                                 if (tuples_.empty()) return Waiters::Progress::kNone;
                                 *taken = std::move(tuples_.front());
                                 tuples_.pop_front();
                                 bytes_ -= BytesOf(*taken);
                                 return Waiters::Progress::kDone;
                               },
                           .give_back = nullptr,
                           .stopped = "Unstage operation was cancelled",
                           .done = Giving(taken, std::move(done))});
}

void StagingArea::Peek(OpCall call, int64_t index, TupleCallback done) {
  auto seen = std::make_shared<Tuple>();
  waiters_.Start(kPeekers, {.owner = shared_from_this(),
                            .call = std::move(call),
                            .waits_for = fmt::format("tuple {} of staging area '{}'", index, name_),
                            .run =
                                [this, index, seen](Status&) {
                                  if (index >= static_cast<int64_t>(tuples_.size())) {
                                    return Waiters::Progress::kNone;
                                  }
                                  *seen = tuples_[static_cast<size_t>(index)];
                                  return Waiters::Progress::kDone;
                                },
                            .give_back = nullptr,
                            .stopped = "StagePeek operation was cancelled",
                            .done = Giving(seen, std::move(done))});
}

void StagingArea::Clear() {
  std::deque<Tuple> cleared;  // freed after the lock is released
  waiters_.Change([&] {
    cleared.swap(tuples_);
    bytes_ = 0;
  });
}

int64_t StagingArea::size() const {
  MutexLock lock(mutex_);
  return static_cast<int64_t>(tuples_.size());
}

}  // namespace rheo::ops
