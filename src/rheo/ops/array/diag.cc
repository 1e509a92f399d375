// Diag and DiagPart: tensors of rank 2k that are zero off the diagonal of their two halves.
#include "rheo/ops/array/kernels.h"
#include "rheo/ops/common/kernel_factories.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;

Status Diag(KernelContext& c) {
  const Tensor& diagonal = c.input(0);
  if (diagonal.rank() < 1) return InvalidArgument("Input must be at least rank 1, got 0");
  Shape shape = diagonal.shape();
  for (const int64_t d : diagonal.shape().dims()) shape.AddDim(d);
  RHEO_ASSIGN_OR_RETURN(shape, Shape::Create(shape.dims()));
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, std::move(shape)));
  DispatchByLayout(diagonal.dtype(), [&]<typename T>() {
    const std::span<T> to = out->mutable_flat<T>();
    std::fill(to.begin(), to.end(), T{});
    const std::span<const T> from = diagonal.flat<T>();
    for (size_t i = 0; i < from.size(); ++i) to[i * (from.size() + 1)] = from[i];
  });
  return OkStatus();
}

Status DiagPart(KernelContext& c) {
  const Tensor& in = c.input(0);
  const int half = in.rank() / 2;
  if (in.rank() == 0 || in.rank() % 2 != 0) {
    return InvalidArgument("The rank of the tensor should be even and positive, got shape {}",
                           in.shape().ToString());
  }
  Shape shape;
  for (int i = 0; i < half; ++i) {
    if (in.dim(i) != in.dim(i + half)) {
      return InvalidArgument("Invalid shape {}: dimensions {} and {} do not match.",
                             in.shape().ToString(), i, i + half);
    }
    shape.AddDim(in.dim(i));
  }
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, std::move(shape)));
  DispatchByLayout(in.dtype(), [&]<typename T>() {
    const std::span<T> to = out->mutable_flat<T>();
    const std::span<const T> from = in.flat<T>();
    for (size_t i = 0; i < to.size(); ++i) to[i] = from[i * (to.size() + 1)];
  });
  return OkStatus();
}

}  // namespace

void AddDiagKernels(TableKernels& kernels) {
  kernels.Add("Diag", FunctionKernel(&Diag));
  kernels.Add("DiagPart", FunctionKernel(&DiagPart));
}

}  // namespace rheo::ops
