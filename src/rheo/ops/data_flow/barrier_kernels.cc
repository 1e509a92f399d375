// Barriers as ops; the handle is a reference.
#include <utility>

#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/owned_resource.h"
#include "rheo/ops/common/rows.h"
#include "rheo/ops/data_flow/barrier.h"
#include "rheo/ops/data_flow/blocking.h"
#include "rheo/ops/data_flow/kernels.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;
using kernel::KernelInit;

using BarrierPtr = std::shared_ptr<Barrier>;

StatusOr<BarrierSpec> ReadBarrierSpec(const KernelInit& init) {
  BarrierSpec spec;
  RHEO_ASSIGN_OR_RETURN(spec.dtypes, init.attrs.Get<std::vector<DType>>("component_types"));
  RHEO_ASSIGN_OR_RETURN(spec.shapes, init.attrs.Get<std::vector<PartialShape>>("shapes"));
  RHEO_ASSIGN_OR_RETURN(const int64_t capacity, init.attrs.Get<int64_t>("capacity"));
  if (spec.shapes.size() != spec.dtypes.size()) {
    return InvalidArgument("All of the component shapes must be specified");
  }
  if (capacity != -1) {
    return InvalidArgument(
        "Barrier only accepts capacity=-1.  Feed the inputs to your Barrier through a queue to "
        "enforce a limited capacity.");
  }
  for (const PartialShape& shape : spec.shapes) {
    if (!shape.IsFullyDefined()) {
      return InvalidArgument("Shape {} is not fully defined", shape.ToString());
    }
  }
  return spec;
}

// ---- Insert

StatusOr<int64_t> ReadComponent(const KernelInit& init) {
  return init.attrs.Get<int64_t>("component_index");
}

Status InsertMany(const int64_t& component, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const BarrierPtr barrier, FindResource<Barrier>(c, 0));
  const BarrierSpec& spec = barrier->spec();
  if (component < 0 || component >= static_cast<int64_t>(spec.dtypes.size())) {
    return InvalidArgument("The component ID is out of range {} > num_components (= {})", component,
                           spec.dtypes.size());
  }
  const auto index = static_cast<size_t>(component);
  RHEO_RETURN_IF_ERROR(CheckSignature(c, 1, {DType::kString, spec.dtypes[index]}, 0, {}));
  const Tensor& keys = c.input(1);
  const Tensor& values = c.input(2);
  if (keys.rank() != 1) {
    return InvalidArgument("keys must be a vector, but have shape {}", keys.shape().ToString());
  }
  const Shape expected = WithFirst(keys.dim(0), spec.shapes[index].ToShape());
  if (!(values.shape() == expected)) {
    return InvalidArgument("Shape mismatch in tuple component {}. Expected {}, got {}", component,
                           expected.ToString(), values.shape().ToString());
  }
  std::vector<Tensor> rows;
  for (int64_t i = 0; i < keys.dim(0); ++i) {
    RHEO_ASSIGN_OR_RETURN(Tensor row, CopyRow(c, values, i));
    rows.push_back(std::move(row));
  }
  const auto texts = keys.flat<std::string>();
  return barrier->Insert(static_cast<int>(component), {texts.begin(), texts.end()},
                         std::move(rows));
}

// ---- Take

class TakeManyKernel final : public kernel::AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_RETURN_IF_ERROR(CheckNoTimeout(init));
    Barrier::TakeOptions options;
    RHEO_ASSIGN_OR_RETURN(options.allow_small_batch, init.attrs.Get<bool>("allow_small_batch"));
    RHEO_ASSIGN_OR_RETURN(options.wait_for_incomplete, init.attrs.Get<bool>("wait_for_incomplete"));
    return std::make_unique<TakeManyKernel>(init.node_name, options);
  }
  TakeManyKernel(std::string node, Barrier::TakeOptions options)
      : node_(std::move(node)), options_(options) {}

  void ComputeAsync(KernelContext& c, DoneCallback done) override {
    StatusOr<BarrierPtr> barrier = FindResource<Barrier>(c, 0);
    if (!barrier.ok()) return std::move(done)(barrier.status());
    Status status = CheckSignature(c, c.num_inputs(), {}, 2, (*barrier)->spec().dtypes);
    if (!status.ok()) return std::move(done)(std::move(status));
    const StatusOr<int64_t> count = ReadCount(c, 1, "num_elements");
    if (!count.ok()) return std::move(done)(count.status());
    if (*count < 0) {
      return std::move(done)(InvalidArgument("num_elements must not be negative: {}", *count));
    }
    Barrier::TakeOptions options = options_;
    options.count = *count;
    (*barrier)->Take(CallOf(c, node_), options,
                     [&c, barrier = *barrier, done = std::move(done)](
                         StatusOr<std::vector<Barrier::Element>> elements) mutable {
                       if (!elements.ok()) return std::move(done)(elements.status());
                       std::move(done)(SetOutputs(c, barrier->spec(), *elements));
                     });
  }

 private:
  static Status SetOutputs(KernelContext& c, const BarrierSpec& spec,
                           std::vector<Barrier::Element>& elements) {
    std::vector<int64_t> indices;
    std::vector<std::string> keys;
    for (const Barrier::Element& element : elements) {
      indices.push_back(element.index);
      keys.push_back(element.key);
    }
    c.set_output(0, Tensor::Vector(indices));
    c.set_output(1, Tensor::Vector(keys));
    for (size_t i = 0; i < spec.dtypes.size(); ++i) {
      std::vector<Tensor> rows;
      for (Barrier::Element& element : elements) rows.push_back(std::move(element.values[i]));
      RHEO_ASSIGN_OR_RETURN(Tensor batch,
                            StackRows(c, spec.dtypes[i], spec.shapes[i].ToShape(), rows));
      c.set_output(static_cast<int>(i) + 2, std::move(batch));
    }
    return OkStatus();
  }

  const std::string node_;
  const Barrier::TakeOptions options_;
};

// ---- Close, sizes

StatusOr<bool> CancelsPending(const KernelInit& init) {
  return init.attrs.Get<bool>("cancel_pending_enqueues");
}

Status BarrierClose(const bool& cancel, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const BarrierPtr barrier, FindResource<Barrier>(c, 0));
  return barrier->Close(cancel);
}

Status ReadySize(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const BarrierPtr barrier, FindResource<Barrier>(c, 0));
  c.set_output(0, Tensor::Scalar<int32_t>(static_cast<int32_t>(barrier->ready_size())));
  return OkStatus();
}

Status IncompleteSize(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const BarrierPtr barrier, FindResource<Barrier>(c, 0));
  c.set_output(0, Tensor::Scalar<int32_t>(static_cast<int32_t>(barrier->incomplete_size())));
  return OkStatus();
}

}  // namespace

void AddBarrierKernels(TableKernels& kernels) {
  kernels.Add("Barrier", OwnedResourceKernel<Barrier>::Factory(&ReadBarrierSpec));
  kernels.Add("BarrierInsertMany", AttrKernel(&ReadComponent, &InsertMany));
  kernels.Add("BarrierTakeMany", kernel::ClassKernel<TakeManyKernel>());
  kernels.Add("BarrierClose", AttrKernel(&CancelsPending, &BarrierClose));
  kernels.Add("BarrierReadySize", FunctionKernel(&ReadySize));
  kernels.Add("BarrierIncompleteSize", FunctionKernel(&IncompleteSize));
}

}  // namespace rheo::ops
