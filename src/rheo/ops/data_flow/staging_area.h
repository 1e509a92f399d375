// StagingArea: tuples put in by some steps and taken out by others, in order or by key.
#ifndef RHEO_OPS_DATA_FLOW_STAGING_AREA_H_
#define RHEO_OPS_DATA_FLOW_STAGING_AREA_H_

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "rheo/kernel/waiters.h"
#include "rheo/tensor/tensor.h"

namespace rheo::ops {

using Tuple = std::vector<Tensor>;

struct StagingSpec {
  int64_t capacity = 0;      // in tuples; 0: no limit
  int64_t memory_limit = 0;  // in bytes; 0: no limit
};

// Who waits for an area or map, as indexes of its waiters; a map has no peekers.
enum StagingWaiters : size_t { kPutters, kTakers, kPeekers };

// Thread-safe. Puts wait for room, takes for a tuple; both end with CANCELLED when their step
// stops, and then have changed nothing. Callbacks as for kernel::Waiters.
class StagingArea final : public kernel::Resource,
                          public std::enable_shared_from_this<StagingArea> {
 public:
  static constexpr std::string_view kTypeName = "StagingArea";
  StagingArea(std::string name, StagingSpec spec);

  using TupleCallback = absl::AnyInvocable<void(StatusOr<Tuple>)>;

  // RESOURCE_EXHAUSTED when the tuple alone is beyond the memory limit.
  void Put(kernel::OpCall call, Tuple tuple, DoneCallback done);
  // The oldest tuple.
  void Take(kernel::OpCall call, TupleCallback done);
  // The tuple at `index`, counted from the oldest, which stays.
  void Peek(kernel::OpCall call, int64_t index, TupleCallback done);
  void Clear();
  int64_t size() const;

  std::string Describe() const override { return "staging area " + name_; }
  std::vector<kernel::BlockedOp> Blocked() const override { return waiters_.List(); }

 private:
  bool HasRoomFor(int64_t bytes) const;

  const std::string name_;
  const StagingSpec spec_;
  mutable Mutex mutex_;
  // Guarded by the lock; attempts run under it.
  std::deque<Tuple> tuples_;
  int64_t bytes_ = 0;
  kernel::Waiters waiters_;
};

int64_t BytesOf(const Tuple& tuple);
// RESOURCE_EXHAUSTED when `bytes` are beyond a memory limit.
Status CheckMemoryLimit(const StagingSpec& spec, int64_t bytes);

}  // namespace rheo::ops

#endif  // RHEO_OPS_DATA_FLOW_STAGING_AREA_H_
