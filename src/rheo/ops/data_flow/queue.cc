#include "rheo/ops/data_flow/queue.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"

namespace rheo::ops {
namespace {

using kernel::OpCall;
using kernel::Waiters;

constexpr size_t kEnqueuers = 0;  // and closers
constexpr size_t kDequeuers = 1;

std::string DTypeNames(const std::vector<DType>& dtypes) {
  return absl::StrJoin(dtypes, ", ", [](std::string* out, DType d) { out->append(DTypeName(d)); });
}

std::string ShapeTexts(const std::vector<PartialShape>& shapes) {
  return '[' +
         absl::StrJoin(shapes, ",",
                       [](std::string* out, const PartialShape& s) { out->append(s.ToString()); }) +
         ']';
}

Status ShapeMismatch(size_t component, const PartialShape& expected, const Shape& got) {
  return InvalidArgument("Shape mismatch in tuple component {}. Expected {}, got {}", component,
                         expected.ToString(), got.ToString());
}

std::string Elements(int64_t n) { return fmt::format("{} element{}", n, n == 1 ? "" : "s"); }

}  // namespace

std::string_view QueueKindName(QueueKind kind) {
  switch (kind) {
    case QueueKind::kFifo:
      return "FIFOQueue";
    case QueueKind::kPaddingFifo:
      return "PaddingFIFOQueue";
    case QueueKind::kRandomShuffle:
      return "RandomShuffleQueue";
    case QueueKind::kPriority:
      return "PriorityQueue";
  }
  return "";
}

StatusOr<std::shared_ptr<Queue>> Queue::Make(std::string name, const Spec& spec) {
  return std::make_shared<Queue>(std::move(name), spec);
}

Queue::Queue(std::string name, Spec spec)
    : name_(std::move(name)),
      spec_(std::move(spec)),
      store_(MakeQueueStore(spec_)),
      waiters_(mutex_, {Waiters::Order::kFirst, Waiters::Order::kFirst}) {}

std::string Queue::Describe() const {
  return fmt::format("{} {} of ({})", QueueKindName(spec_.kind), name_, DTypeNames(spec_.dtypes));
}

std::string Queue::Quoted() const {
  return fmt::format("{} '{}'", QueueKindName(spec_.kind), name_);
}

Status Queue::CheckSame(const Spec& other) const {
  if (other.kind != spec_.kind) {
    return InvalidArgument("Expected {}, found {}", QueueKindName(spec_.kind), other.op);
  }
  if (other.dtypes != spec_.dtypes) {
    return InvalidArgument(
        "Shared queue '{}' has component types {} but requested component types were {}", name_,
        DTypeNames(spec_.dtypes), DTypeNames(other.dtypes));
  }
  if (other.shapes != spec_.shapes) {
    return InvalidArgument(
        "Shared queue '{}' has component shapes {} but requested component shapes were {}", name_,
        ShapeTexts(spec_.shapes), ShapeTexts(other.shapes));
  }
  if (other.capacity != spec_.capacity) {
    return InvalidArgument("Shared queue '{}' has capacity {} but requested capacity was {}", name_,
                           spec_.capacity, other.capacity);
  }
  if (other.min_after_dequeue != spec_.min_after_dequeue) {
    return InvalidArgument(
        "Shared queue '{}' has min_after_dequeue {} but requested min_after_dequeue was {}.", name_,
        spec_.min_after_dequeue, other.min_after_dequeue);
  }
  if (other.seed != spec_.seed || other.seed2 != spec_.seed2) {
    return InvalidArgument(
        "Shared queue '{}' has random seeds ({}, {}) but requested seeds are ({}, {}).", name_,
        spec_.seed, spec_.seed2, other.seed, other.seed2);
  }
  return OkStatus();
}

Status Queue::CheckTuple(const Tuple& tuple) const {
  if (spec_.kind == QueueKind::kPriority && tuple[0].rank() != 0) {
    return ShapeMismatch(0, PartialShape::OfRank(0), tuple[0].shape());
  }
  for (size_t i = 0; i < spec_.shapes.size(); ++i) {
    if (!spec_.shapes[i].IsCompatibleWith(tuple[i].shape())) {
      return ShapeMismatch(i, spec_.shapes[i], tuple[i].shape());
    }
  }
  return OkStatus();
}

Status Queue::CheckBatch(const Tuple& batch) const {
  if (batch[0].rank() == 0) {
    return InvalidArgument(
        "Shape mismatch in tuple component 0. Expected at least one dimension, got []");
  }
  const int64_t size = batch[0].dim(0);
  for (size_t i = 0; i < batch.size(); ++i) {
    PartialShape expected;
    if (!spec_.shapes.empty()) {
      expected = PartialShape{size};
      for (const int64_t dim : spec_.shapes[i].dims()) expected.AddDim(dim);
    }
    if (i == 0 && spec_.kind == QueueKind::kPriority) expected = PartialShape{size};
    if (batch[i].rank() == 0 || batch[i].dim(0) != size ||
        !expected.IsCompatibleWith(batch[i].shape())) {
      return ShapeMismatch(i, expected.has_rank() ? expected : PartialShape{size},
                           batch[i].shape());
    }
  }
  return OkStatus();
}

Status Queue::CheckBatchable() const {
  if (!spec_.shapes.empty()) return OkStatus();
  return InvalidArgument(
      "{}'s DequeueMany and DequeueUpTo require the components to have specified shapes.",
      QueueKindName(spec_.kind));
}

// ---- Putting in

Queue::Progress Queue::PutSome(std::vector<Tuple>& tuples, size_t& next, Status& status) {
  if (closed_) {
    status = Cancelled("{} is closed.", Quoted());
    return Progress::kDone;
  }
  const size_t first = next;
  while (next < tuples.size() && HasRoom()) store_->Put(std::move(tuples[next++]));
  if (next == tuples.size()) return Progress::kDone;
  return next > first ? Progress::kSome : Progress::kNone;
}

void Queue::Enqueue(OpCall call, std::vector<Tuple> tuples, DoneCallback done) {
  std::string waits_for = fmt::format("room in {}", Quoted());
  waiters_.Start(kEnqueuers,
                 {.owner = shared_from_this(),
                  .call = std::move(call),
                  .waits_for = std::move(waits_for),
                  .run = [this, tuples = std::move(tuples), next = size_t{0}](
                             Status& status) mutable { return PutSome(tuples, next, status); },
                  .give_back = nullptr,
                  .stopped = "Enqueue operation was cancelled",
                  .done = std::move(done)});
}

void Queue::Close(OpCall call, Pending pending, DoneCallback done) {
  if (pending == Pending::kCancel) {
    waiters_.Change([this] {
      waiters_.EndAll(kEnqueuers, Cancelled("Enqueue operation was cancelled"));
      closed_ = true;
    });
    std::move(done)(OkStatus());
    return;
  }
  std::string waits_for = fmt::format("pending enqueues to {}, which it closes", Quoted());
  waiters_.Start(kEnqueuers, {.owner = shared_from_this(),
                              .call = std::move(call),
                              .waits_for = std::move(waits_for),
                              .run =
                                  [this](Status& status) {
                                    if (std::exchange(closed_, true)) {
                                      status = Cancelled("Queue '{}' is already closed.", name_);
                                    }
                                    return Progress::kDone;
                                  },
                              .give_back = nullptr,
                              .stopped = "Close operation was cancelled",
                              .done = std::move(done)});
}

// ---- Taking out

// What a waiting dequeue has so far.
struct Queue::Taking {
  int64_t wanted = 0;
  Count count = Count::kExactly;
  std::vector<Tuple> taken;
};

int64_t Queue::Available() const {
  const int64_t kept = closed_ ? 0 : spec_.min_after_dequeue;
  return std::max<int64_t>(store_->size() - kept, 0);
}

Queue::Progress Queue::TakeSome(Taking& taking, Status& status) {
  const int64_t missing = taking.wanted - static_cast<int64_t>(taking.taken.size());
  int64_t take = std::min(Available(), missing);
  if (take < missing && closed_) {
    GiveBack(taking);
    take = Available();
    if (taking.count == Count::kExactly || take == 0) {
      status =
          OutOfRange("{} is closed and has insufficient elements (requested {}, current size {})",
                     Quoted(), taking.wanted, take);
      return Progress::kDone;
    }
    taking.wanted = take;
  } else if (take < missing && spec_.kind == QueueKind::kPriority) {
    return Progress::kNone;  // a later element may be more urgent than the ones that are there
  }
  for (int64_t i = 0; i < take; ++i) taking.taken.push_back(store_->Take());
  if (static_cast<int64_t>(taking.taken.size()) == taking.wanted) return Progress::kDone;
  return take > 0 ? Progress::kSome : Progress::kNone;
}

void Queue::GiveBack(Taking& taking) {
  for (auto it = taking.taken.rbegin(); it != taking.taken.rend(); ++it) {
    store_->PutBack(std::move(*it));
  }
  taking.taken.clear();
}

void Queue::Dequeue(OpCall call, int64_t n, Count count, TuplesCallback done) {
  if (n == 0) return std::move(done)(std::vector<Tuple>());
  auto taking = std::make_shared<Taking>();
  taking->wanted = n;
  taking->count = count;
  std::string waits_for = fmt::format("{} of {}", Elements(n), Quoted());
  waiters_.Start(kDequeuers,
                 {.owner = shared_from_this(),
                  .call = std::move(call),
                  .waits_for = std::move(waits_for),
                  .run = [this, taking](Status& status) { return TakeSome(*taking, status); },
                  .give_back = [this, taking] { GiveBack(*taking); },
                  .stopped = "Dequeue operation was cancelled",
                  .done =
                      [taking, done = std::move(done)](const Status& status) mutable {
                        if (status.ok()) {
                          std::move(done)(std::move(taking->taken));
                        } else {
                          std::move(done)(status);
                        }
                      }});
}

int64_t Queue::size() const {
  MutexLock lock(mutex_);
  return store_->size();
}

bool Queue::is_closed() const {
  MutexLock lock(mutex_);
  return closed_;
}

}  // namespace rheo::ops
