// StagingMap: tuples put in under a key, at once or component by component, and taken out by key or
// in some order.
#ifndef RHEO_OPS_DATA_FLOW_STAGING_MAP_H_
#define RHEO_OPS_DATA_FLOW_STAGING_MAP_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rheo/kernel/waiters.h"
#include "rheo/ops/data_flow/staging_area.h"
#include "rheo/tensor/tensor.h"

namespace rheo::ops {

// Components of a tuple, by position; in increasing order.
using Positions = std::vector<int>;

// Thread-safe. Puts wait for room, takes for a complete tuple; both end with CANCELLED when their
// step stops, and then have changed nothing. Keys leave in increasing order where none is asked
// for, which both kinds of map ops allow.
class StagingMap final : public kernel::Resource, public std::enable_shared_from_this<StagingMap> {
 public:
  static constexpr std::string_view kTypeName = "StagingMap";
  StagingMap(std::string name, StagingSpec spec);

  struct Keyed {
    int64_t key = 0;
    Tuple tuple;
  };
  using TupleCallback = absl::AnyInvocable<void(StatusOr<Keyed>)>;

  // Adds components to the tuple of `key`, which has `num_components` in all. INVALID_ARGUMENT when
  // one is there already.
  void Put(kernel::OpCall call, int64_t key, Positions positions, Tuple values,
           size_t num_components, DoneCallback done);
  // Takes these components of the complete tuple of `key`, which goes with its last component.
  // INVALID_ARGUMENT when one was taken before.
  void Take(kernel::OpCall call, int64_t key, Positions positions, TupleCallback done);
  // Takes the components of the complete tuple with the smallest key.
  void TakeAny(kernel::OpCall call, Positions positions, TupleCallback done);
  // As Take, but leaves them.
  void Peek(kernel::OpCall call, int64_t key, Positions positions, TupleCallback done);
  void Clear();
  int64_t size() const;
  int64_t incomplete_size() const;

  std::string Describe() const override { return "staging map " + name_; }
  std::vector<kernel::BlockedOp> Blocked() const override { return waiters_.List(); }

 private:
  using Progress = kernel::Waiters::Progress;
  enum class Leave { kTaken, kInPlace };

  Progress PutNow(int64_t key, const Positions& positions, Tuple& values, size_t num_components,
                  int64_t bytes, Status& status);
  Progress TakeNow(std::map<int64_t, Tuple>::iterator found, const Positions& positions,
                   Leave leave, Keyed& out, Status& status);
  // Without a key: any.
  void Get(kernel::OpCall call, std::optional<int64_t> key, Positions positions, Leave leave,
           TupleCallback done);

  const std::string name_;
  const StagingSpec spec_;
  mutable Mutex mutex_;
  // Guarded by the lock; attempts run under it. Components that are not there have no value.
  std::map<int64_t, Tuple> complete_;
  std::map<int64_t, Tuple> incomplete_;
  int64_t bytes_ = 0;
  kernel::Waiters waiters_;
};

}  // namespace rheo::ops

#endif  // RHEO_OPS_DATA_FLOW_STAGING_MAP_H_
