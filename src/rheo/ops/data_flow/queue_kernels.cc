// Queues as ops: making them, enqueue, dequeue, close, size. Each in a form with a reference and
// one with a resource handle.
#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/owned_resource.h"
#include "rheo/ops/common/rows.h"
#include "rheo/ops/data_flow/blocking.h"
#include "rheo/ops/data_flow/kernels.h"
#include "rheo/ops/data_flow/queue.h"

namespace rheo::ops {
namespace {

using kernel::AsyncKernel;
using kernel::FunctionKernel;
using kernel::KernelContext;
using kernel::KernelInit;

using QueuePtr = std::shared_ptr<Queue>;

// ---- Making queues

std::string ListText(const auto& items, auto text) {
  return absl::StrJoin(items, ", ",
                       [&](std::string* out, const auto& item) { out->append(text(item)); });
}

Status CheckShapes(const QueueSpec& spec) {
  const bool pads = spec.kind == QueueKind::kPaddingFifo;
  if (spec.shapes.size() != spec.dtypes.size() && pads) {
    return InvalidArgument(
        "Shapes must be provided for all components, but received {} dtypes and {} shapes.",
        spec.dtypes.size(), spec.shapes.size());
  }
  if (spec.shapes.empty()) return OkStatus();
  if (spec.shapes.size() != spec.dtypes.size()) {
    return InvalidArgument(
        "Different number of component types.  Types: {}, Shapes: [{}]",
        ListText(spec.dtypes, [](DType d) { return std::string(DTypeName(d)); }),
        ListText(spec.shapes, [](const PartialShape& s) { return s.ToString(); }));
  }
  for (const PartialShape& shape : spec.shapes) {
    if (pads && !shape.has_rank()) {
      return InvalidArgument("the shape of each component of a padding queue needs a rank");
    }
    if (!pads && !shape.IsFullyDefined()) {
      return InvalidArgument("Shape {} is not fully defined", shape.ToString());
    }
  }
  return OkStatus();
}

template <QueueKind kind>
StatusOr<QueueSpec> ReadQueueSpec(const KernelInit& init) {
  QueueSpec spec{.kind = kind, .op = init.schema.name, .dtypes = {}, .shapes = {}};
  RHEO_ASSIGN_OR_RETURN(spec.dtypes, init.attrs.Get<std::vector<DType>>("component_types"));
  RHEO_ASSIGN_OR_RETURN(spec.shapes, init.attrs.Get<std::vector<PartialShape>>("shapes"));
  RHEO_ASSIGN_OR_RETURN(const int64_t capacity, init.attrs.Get<int64_t>("capacity"));
  spec.capacity = std::max<int64_t>(capacity, -1);
  if constexpr (kind == QueueKind::kPriority) {
    spec.dtypes.insert(spec.dtypes.begin(), DType::kInt64);
    if (!spec.shapes.empty()) {
      spec.shapes.insert(spec.shapes.begin(), PartialShape::OfRank(0));
    }
  }
  if constexpr (kind == QueueKind::kRandomShuffle) {
    RHEO_ASSIGN_OR_RETURN(spec.min_after_dequeue, init.attrs.Get<int64_t>("min_after_dequeue"));
    RHEO_ASSIGN_OR_RETURN(spec.seed, init.attrs.Get<int64_t>("seed"));
    RHEO_ASSIGN_OR_RETURN(spec.seed2, init.attrs.Get<int64_t>("seed2"));
    if (spec.min_after_dequeue < 0) {
      return InvalidArgument("min_after_dequeue {} must be >= 0", spec.min_after_dequeue);
    }
    if (spec.capacity >= 0 && spec.min_after_dequeue >= spec.capacity) {
      return InvalidArgument("min_after_dequeue {} must be < capacity {}", spec.min_after_dequeue,
                             spec.capacity);
    }
  }
  RHEO_RETURN_IF_ERROR(CheckShapes(spec));
  return spec;
}

// The reference form of the handle in a resource handle.
Status FakeQueue(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const HandleName where, ReadHandleName(c, 0, Queue::kTypeName));
  SetHandle(c, 0, where.container, where.name, Queue::kTypeName);
  return OkStatus();
}

// ---- Enqueue

StatusOr<std::vector<Tuple>> SplitBatch(const KernelContext& c, const Tuple& batch) {
  std::vector<Tuple> tuples(static_cast<size_t>(batch[0].dim(0)));
  for (size_t i = 0; i < tuples.size(); ++i) {
    for (const Tensor& component : batch) {
      RHEO_ASSIGN_OR_RETURN(Tensor row, CopyRow(c, component, static_cast<int64_t>(i)));
      tuples[i].push_back(std::move(row));
    }
  }
  return tuples;
}

template <bool many>
class EnqueueKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_RETURN_IF_ERROR(CheckNoTimeout(init));
    return std::make_unique<EnqueueKernel>(init.node_name);
  }
  explicit EnqueueKernel(std::string node) : node_(std::move(node)) {}

  void ComputeAsync(KernelContext& c, DoneCallback done) override {
    StatusOr<QueuePtr> queue = FindResource<Queue>(c, 0);
    if (!queue.ok()) return std::move(done)(queue.status());
    StatusOr<std::vector<Tuple>> tuples = ReadTuples(**queue, c);
    if (!tuples.ok()) return std::move(done)(tuples.status());
    (*queue)->Enqueue(CallOf(c, node_), *std::move(tuples), std::move(done));
  }

 private:
  static StatusOr<std::vector<Tuple>> ReadTuples(const Queue& queue, KernelContext& c) {
    RHEO_RETURN_IF_ERROR(CheckSignature(c, 1, queue.spec().dtypes, 0, {}));
    Tuple tuple;
    for (int i = 1; i < c.num_inputs(); ++i) tuple.push_back(c.TakeInput(i));
    if constexpr (many) {
      RHEO_RETURN_IF_ERROR(queue.CheckBatch(tuple));
      return SplitBatch(c, tuple);
    } else {
      RHEO_RETURN_IF_ERROR(queue.CheckTuple(tuple));
      std::vector<Tuple> tuples;
      tuples.push_back(std::move(tuple));
      return tuples;
    }
  }

  const std::string node_;
};

// ---- Dequeue

// The dims of a batch's rows: the component's, and where those are open the largest of the rows'.
Shape RowShape(const PartialShape& declared, const std::vector<Tensor>& rows) {
  Shape shape;
  for (int i = 0; i < declared.rank(); ++i) {
    int64_t dim = declared.dim(i);
    if (dim == kUnknownDim) {
      dim = 0;
      for (const Tensor& row : rows) dim = std::max(dim, row.dim(i));
    }
    shape.AddDim(dim);
  }
  return shape;
}

Status SetBatches(const Queue& queue, std::vector<Tuple> tuples, KernelContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) {
    std::vector<Tensor> rows;
    for (Tuple& tuple : tuples) rows.push_back(std::move(tuple[static_cast<size_t>(i)]));
    const PartialShape& declared = queue.spec().shapes[static_cast<size_t>(i)];
    const Shape shape = RowShape(declared, rows);
    const auto stack = declared.IsFullyDefined() ? &StackRows : &StackPadded;
    RHEO_ASSIGN_OR_RETURN(Tensor batch, stack(c, c.output_type(i), shape, rows));
    c.set_output(i, std::move(batch));
  }
  return OkStatus();
}

class DequeueKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_RETURN_IF_ERROR(CheckNoTimeout(init));
    return std::make_unique<DequeueKernel>(init.node_name);
  }
  explicit DequeueKernel(std::string node) : node_(std::move(node)) {}

  void ComputeAsync(KernelContext& c, DoneCallback done) override {
    StatusOr<QueuePtr> queue = FindResource<Queue>(c, 0);
    if (!queue.ok()) return std::move(done)(queue.status());
    Status status = CheckSignature(c, c.num_inputs(), {}, 0, (*queue)->spec().dtypes);
    if (!status.ok()) return std::move(done)(std::move(status));
    (*queue)->Dequeue(CallOf(c, node_), 1, Queue::Count::kExactly,
                      [&c, done = std::move(done)](StatusOr<std::vector<Tuple>> tuples) mutable {
                        if (!tuples.ok()) return std::move(done)(tuples.status());
                        Tuple& tuple = (*tuples)[0];
                        for (size_t i = 0; i < tuple.size(); ++i) {
                          c.set_output(static_cast<int>(i), std::move(tuple[i]));
                        }
                        std::move(done)(OkStatus());
                      });
  }

 private:
  const std::string node_;
};

template <Queue::Count count>
class DequeueManyKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_RETURN_IF_ERROR(CheckNoTimeout(init));
    return std::make_unique<DequeueManyKernel>(init.node_name);
  }
  explicit DequeueManyKernel(std::string node) : node_(std::move(node)) {}

  void ComputeAsync(KernelContext& c, DoneCallback done) override {
    StatusOr<QueuePtr> queue = FindResource<Queue>(c, 0);
    if (!queue.ok()) return std::move(done)(queue.status());
    StatusOr<int64_t> n = ReadNumber(**queue, c);
    if (!n.ok()) return std::move(done)(n.status());
    (*queue)->Dequeue(
        CallOf(c, node_), *n, count,
        [&c, queue = *queue, done = std::move(done)](StatusOr<std::vector<Tuple>> tuples) mutable {
          if (!tuples.ok()) return std::move(done)(tuples.status());
          std::move(done)(SetBatches(*queue, *std::move(tuples), c));
        });
  }

 private:
  static constexpr std::string_view kName =
      count == Queue::Count::kExactly ? "DequeueMany" : "DequeueUpTo";

  static StatusOr<int64_t> ReadNumber(const Queue& queue, const KernelContext& c) {
    RHEO_RETURN_IF_ERROR(CheckSignature(c, c.num_inputs(), {}, 0, queue.spec().dtypes));
    RHEO_ASSIGN_OR_RETURN(const int64_t n, ReadCount(c, 1, "the number of elements"));
    if (n < 0) return InvalidArgument("{}Op requested {} < 0 elements", kName, n);
    RHEO_RETURN_IF_ERROR(queue.CheckBatchable());
    return n;
  }

  const std::string node_;
};

// ---- Close, size

class CloseKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(const bool cancel, init.attrs.Get<bool>("cancel_pending_enqueues"));
    return std::make_unique<CloseKernel>(init.node_name,
                                         cancel ? Queue::Pending::kCancel : Queue::Pending::kAwait);
  }
  CloseKernel(std::string node, Queue::Pending pending)
      : node_(std::move(node)), pending_(pending) {}

  void ComputeAsync(KernelContext& c, DoneCallback done) override {
    StatusOr<QueuePtr> queue = FindResource<Queue>(c, 0);
    if (!queue.ok()) return std::move(done)(queue.status());
    (*queue)->Close(CallOf(c, node_), pending_, std::move(done));
  }

 private:
  const std::string node_;
  const Queue::Pending pending_;
};

Status QueueSize(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const QueuePtr queue, FindResource<Queue>(c, 0));
  c.set_output(0, Tensor::Scalar<int32_t>(static_cast<int32_t>(queue->size())));
  return OkStatus();
}

Status QueueIsClosed(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const QueuePtr queue, FindResource<Queue>(c, 0));
  c.set_output(0, Tensor::Scalar<bool>(queue->is_closed()));
  return OkStatus();
}

template <QueueKind kind>
kernel::KernelFactory Maker() {
  return OwnedResourceKernel<Queue>::Factory(&ReadQueueSpec<kind>);
}

}  // namespace

void AddQueueKernels(TableKernels& kernels) {
  const auto add_both = [&](const std::string& op, const kernel::KernelFactory& factory) {
    kernels.Add(op, factory);
    kernels.Add(op + "V2", factory);
  };
  add_both("FIFOQueue", Maker<QueueKind::kFifo>());
  add_both("PaddingFIFOQueue", Maker<QueueKind::kPaddingFifo>());
  add_both("RandomShuffleQueue", Maker<QueueKind::kRandomShuffle>());
  add_both("PriorityQueue", Maker<QueueKind::kPriority>());
  kernels.Add("FakeQueue", FunctionKernel(&FakeQueue));
  add_both("QueueEnqueue", kernel::ClassKernel<EnqueueKernel<false>>());
  add_both("QueueEnqueueMany", kernel::ClassKernel<EnqueueKernel<true>>());
  add_both("QueueDequeue", kernel::ClassKernel<DequeueKernel>());
  add_both("QueueDequeueMany", kernel::ClassKernel<DequeueManyKernel<Queue::Count::kExactly>>());
  add_both("QueueDequeueUpTo", kernel::ClassKernel<DequeueManyKernel<Queue::Count::kUpTo>>());
  add_both("QueueClose", kernel::ClassKernel<CloseKernel>());
  add_both("QueueSize", FunctionKernel(&QueueSize));
  add_both("QueueIsClosed", FunctionKernel(&QueueIsClosed));
}

}  // namespace rheo::ops
