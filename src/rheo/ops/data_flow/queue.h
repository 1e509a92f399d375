// Queue: tuples of tensors handed from steps to steps: first in first out, shuffled, or by
// priority. Behaviour: semantics.md 13.1.
#ifndef RHEO_OPS_DATA_FLOW_QUEUE_H_
#define RHEO_OPS_DATA_FLOW_QUEUE_H_

#include <memory>
#include <string>
#include <vector>

#include "rheo/kernel/waiters.h"
#include "rheo/tensor/tensor.h"

namespace rheo::ops {

// One element: a tensor for each component.
using Tuple = std::vector<Tensor>;

enum class QueueKind { kFifo, kPaddingFifo, kRandomShuffle, kPriority };

struct QueueSpec {
  QueueKind kind = QueueKind::kFifo;
  std::string op;  // of the node, for messages
  std::vector<DType> dtypes;
  std::vector<PartialShape> shapes;  // of each component; empty: any
  int64_t capacity = -1;             // -1: no limit
  int64_t min_after_dequeue = 0;     // kRandomShuffle
  int64_t seed = 0;
  int64_t seed2 = 0;
};

// "FIFOQueue", as messages call it.
std::string_view QueueKindName(QueueKind kind);

// Where the elements lie; under the queue's lock.
class QueueStore {
 public:
  virtual ~QueueStore() = default;
  virtual void Put(Tuple tuple) = 0;
  virtual Tuple Take() = 0;
  // Undoes the last Take, but for the order of a shuffled queue.
  virtual void PutBack(Tuple tuple) = 0;
  virtual int64_t size() const = 0;
};
std::unique_ptr<QueueStore> MakeQueueStore(const QueueSpec& spec);

// Thread-safe. Callbacks run outside the lock, perhaps inside the call, or on the thread that
// changed the queue or stopped the step. A call that is stopped or fails has taken nothing out.
class Queue final : public kernel::Resource, public std::enable_shared_from_this<Queue> {
 public:
  static constexpr std::string_view kTypeName = "N10tensorflow14QueueInterfaceE";
  using Spec = QueueSpec;
  static StatusOr<std::shared_ptr<Queue>> Make(std::string name, const Spec& spec);
  Queue(std::string name, Spec spec);

  const std::string& name() const { return name_; }
  const Spec& spec() const { return spec_; }
  // INVALID_ARGUMENT naming the attr in which another node's queue differs.
  Status CheckSame(const Spec& other) const;
  // INVALID_ARGUMENT when the tuple does not fit the components' shapes; dtypes are the caller's
  // duty. A batch has one more dimension, first, that all components agree on.
  Status CheckTuple(const Tuple& tuple) const;
  Status CheckBatch(const Tuple& batch) const;
  // INVALID_ARGUMENT when elements cannot be put together to a batch.
  Status CheckBatchable() const;

  // Puts the tuples in, one by one as there is room. CANCELLED when the queue is closed.
  void Enqueue(kernel::OpCall call, std::vector<Tuple> tuples, DoneCallback done);
  using TuplesCallback = absl::AnyInvocable<void(StatusOr<std::vector<Tuple>>)>;
  enum class Count { kExactly, kUpTo };
  // Takes n elements; kUpTo: as many as are left once the queue is closed, at least one.
  // OUT_OF_RANGE when the queue is closed and has fewer.
  void Dequeue(kernel::OpCall call, int64_t n, Count count, TuplesCallback done);
  // Ends the queue once all that wait to enqueue have done so, or at once with their failure.
  enum class Pending { kAwait, kCancel };
  void Close(kernel::OpCall call, Pending pending, DoneCallback done);

  int64_t size() const;
  bool is_closed() const;

  std::string Describe() const override;
  std::vector<kernel::BlockedOp> Blocked() const override { return waiters_.List(); }

 private:
  using Progress = kernel::Waiters::Progress;
  struct Taking;

  Progress PutSome(std::vector<Tuple>& tuples, size_t& next, Status& status);
  Progress TakeSome(Taking& taking, Status& status);
  void GiveBack(Taking& taking);
  // How many elements a dequeue may take now.
  int64_t Available() const;
  bool HasRoom() const { return spec_.capacity < 0 || store_->size() < spec_.capacity; }
  std::string Quoted() const;

  const std::string name_;
  const Spec spec_;
  mutable Mutex mutex_;
  // Guarded by the lock; attempts run under it.
  const std::unique_ptr<QueueStore> store_;
  bool closed_ = false;
  kernel::Waiters waiters_;
};

}  // namespace rheo::ops

#endif  // RHEO_OPS_DATA_FLOW_QUEUE_H_
