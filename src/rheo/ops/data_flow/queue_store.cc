// The orders in which queues give their elements.
#include <deque>
#include <map>
#include <utility>

#include "rheo/base/ids.h"
#include "rheo/ops/data_flow/queue.h"
#include "rheo/ops/random/philox.h"

namespace rheo::ops {
namespace {

class FifoStore final : public QueueStore {
 public:
  void Put(Tuple tuple) override { tuples_.push_back(std::move(tuple)); }
  Tuple Take() override {
    Tuple tuple = std::move(tuples_.front());
    tuples_.pop_front();
    return tuple;
  }
  void PutBack(Tuple tuple) override { tuples_.push_front(std::move(tuple)); }
  int64_t size() const override { return static_cast<int64_t>(tuples_.size()); }

 private:
  std::deque<Tuple> tuples_;
};

// Takes any element with the same probability; the last one moves into its place.
class ShuffleStore final : public QueueStore {
 public:
  ShuffleStore(int64_t seed, int64_t seed2)
      : generator_(seed == 0 && seed2 == 0
                       ? Philox(RandomUint64(), 0, RandomUint64())
                       : Philox(static_cast<uint64_t>(seed), 0, static_cast<uint64_t>(seed2))) {}

  void Put(Tuple tuple) override { tuples_.push_back(std::move(tuple)); }
  Tuple Take() override {
    const size_t at = NextWord() % tuples_.size();
    Tuple tuple = std::exchange(tuples_[at], std::move(tuples_.back()));
    tuples_.pop_back();
    return tuple;
  }
  void PutBack(Tuple tuple) override { Put(std::move(tuple)); }
  int64_t size() const override { return static_cast<int64_t>(tuples_.size()); }

 private:
  uint32_t NextWord() {
    if (used_ == block_.size()) {
      block_ = generator_.Next();
      used_ = 0;
    }
    return block_[used_++];
  }

  Philox generator_;
  Philox::Block block_{};
  size_t used_ = block_.size();
  std::vector<Tuple> tuples_;
};

// The smallest first component first; equal ones in order of arrival.
class PriorityStore final : public QueueStore {
 public:
  void Put(Tuple tuple) override { Insert(std::move(tuple), next_++); }
  Tuple Take() override { return std::move(tuples_.extract(tuples_.begin()).mapped()); }
  void PutBack(Tuple tuple) override { Insert(std::move(tuple), --first_); }
  int64_t size() const override { return static_cast<int64_t>(tuples_.size()); }

 private:
  void Insert(Tuple tuple, int64_t arrival) {
    const int64_t priority = tuple[0].scalar<int64_t>();
    tuples_.emplace(std::pair(priority, arrival), std::move(tuple));
  }

  int64_t next_ = 0;
  int64_t first_ = 0;
  std::map<std::pair<int64_t, int64_t>, Tuple> tuples_;
};

}  // namespace

std::unique_ptr<QueueStore> MakeQueueStore(const QueueSpec& spec) {
  switch (spec.kind) {
    case QueueKind::kFifo:
    case QueueKind::kPaddingFifo:
      return std::make_unique<FifoStore>();
    case QueueKind::kRandomShuffle:
      return std::make_unique<ShuffleStore>(spec.seed, spec.seed2);
    case QueueKind::kPriority:
      return std::make_unique<PriorityStore>();
  }
  return nullptr;
}

}  // namespace rheo::ops
