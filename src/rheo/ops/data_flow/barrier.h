// Barrier: elements that arrive component by component under a key, and leave once complete.
#ifndef RHEO_OPS_DATA_FLOW_BARRIER_H_
#define RHEO_OPS_DATA_FLOW_BARRIER_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rheo/base/string_map.h"
#include "rheo/kernel/waiters.h"
#include "rheo/tensor/tensor.h"

namespace rheo::ops {

struct BarrierSpec {
  std::vector<DType> dtypes;
  std::vector<PartialShape> shapes;  // of each component
};

// Thread-safe. Complete elements leave in the order in which their keys first came.
class Barrier final : public kernel::Resource, public std::enable_shared_from_this<Barrier> {
 public:
  static constexpr std::string_view kTypeName = "N10tensorflow7barrier7BarrierE";
  using Spec = BarrierSpec;
  static StatusOr<std::shared_ptr<Barrier>> Make(std::string name, const Spec& spec);
  Barrier(std::string name, Spec spec);

  const Spec& spec() const { return spec_; }
  Status CheckSame(const Spec& other) const;

  // Gives each key a value for `component`. INVALID_ARGUMENT when one has it already, CANCELLED
  // when the barrier is closed to it; nothing is inserted then.
  Status Insert(int component, const std::vector<std::string>& keys, std::vector<Tensor> values);

  struct Element {
    int64_t index = 0;
    std::string key;
    std::vector<Tensor> values;
  };
  struct TakeOptions {
    int64_t count = 1;
    bool allow_small_batch = false;    // of a closed barrier: what is left
    bool wait_for_incomplete = false;  // of a closed barrier: also for what may still be completed
  };
  using TakeCallback = absl::AnyInvocable<void(StatusOr<std::vector<Element>>)>;
  // Waits for `count` complete elements. OUT_OF_RANGE when the barrier is closed and has too few.
  void Take(kernel::OpCall call, TakeOptions options, TakeCallback done);

  // After it no new key is taken; with `cancel`, no value at all. CANCELLED when it was closed so
  // before.
  Status Close(bool cancel);

  int64_t ready_size() const;
  int64_t incomplete_size() const;

  std::string Describe() const override { return "barrier " + name_; }
  std::vector<kernel::BlockedOp> Blocked() const override { return waiters_.List(); }

 private:
  struct Incomplete {
    int64_t index = 0;
    std::vector<Tensor> values;  // without a value where none came
    size_t missing = 0;
  };

  Status CheckInsert(int component, const std::vector<std::string>& keys) const;
  void InsertOne(int component, const std::string& key, Tensor value, int64_t new_index);
  kernel::Waiters::Progress TakeSome(TakeOptions& options, std::vector<Element>& taken,
                                     Status& status);

  const std::string name_;
  const Spec spec_;
  mutable Mutex mutex_;
  // Guarded by the lock; attempts run under it.
  StringMap<Incomplete> incomplete_;
  std::multimap<int64_t, Element> ready_;  // by index
  int64_t next_index_ = INT64_MIN;
  bool closed_ = false;
  bool cancelled_ = false;
  kernel::Waiters waiters_;
};

}  // namespace rheo::ops

#endif  // RHEO_OPS_DATA_FLOW_BARRIER_H_
