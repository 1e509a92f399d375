// ScatterNd and the TensorScatter ops.
#include "rheo/ops/common/scatter.h"

#include "rheo/ops/array/kernels.h"
#include "rheo/ops/common/integers.h"
#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/stored_tensor.h"

namespace rheo::ops {
namespace {

using kernel::KernelContext;

Status ScatterNd(const BadIndices& bad_indices, KernelContext& c) {
  const Tensor& indices = c.input(0);
  const Tensor& updates = c.input(1);
  RHEO_ASSIGN_OR_RETURN(const Shape shape, ReadShape(c.input(2), "shape"));
  if (shape.num_elements() == 0 && indices.num_elements() > 0 && updates.num_elements() > 0) {
    return InvalidArgument("Indices and updates specified for empty output");
  }
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, shape));
  DispatchByLayout(updates.dtype(), [&]<typename T>() {
    const std::span<T> all = out->mutable_flat<T>();
    std::fill(all.begin(), all.end(), T{});
  });
  return ScatterNdInto(ScatterKind::kAdd, *out, indices, updates, bad_indices);
}

// Input 0 with the updates of input 2 in it.
template <ScatterKind kKind>
Status TensorScatter(const BadIndices& bad_indices, KernelContext& c) {
  Tensor result = c.TakeInput(0);
  RHEO_RETURN_IF_ERROR(MakeUnique(c, result));
  RHEO_RETURN_IF_ERROR(ScatterNdInto(kKind, result, c.input(1), c.input(2), bad_indices));
  c.set_output(0, std::move(result));
  return OkStatus();
}

}  // namespace

void AddScatterKernels(TableKernels& kernels) {
  const auto add = [&](const char* op, Status (*compute)(const BadIndices&, KernelContext&)) {
    kernels.Add(op, AttrKernel(&ReadBadIndices, compute));
  };
  add("ScatterNd", &ScatterNd);
  add("ScatterNdNonAliasingAdd", &TensorScatter<ScatterKind::kAdd>);
  add("TensorScatterUpdate", &TensorScatter<ScatterKind::kUpdate>);
  add("TensorScatterAdd", &TensorScatter<ScatterKind::kAdd>);
  add("TensorScatterSub", &TensorScatter<ScatterKind::kSub>);
  add("TensorScatterMax", &TensorScatter<ScatterKind::kMax>);
  add("TensorScatterMin", &TensorScatter<ScatterKind::kMin>);
}

}  // namespace rheo::ops
