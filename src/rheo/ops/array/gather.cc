// Gather, GatherV2 and GatherNd.
#include "rheo/ops/common/gather.h"

#include "rheo/ops/array/kernels.h"
#include "rheo/ops/common/integers.h"
#include "rheo/ops/common/kernel_factories.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;
using kernel::KernelInit;

Status Gather(KernelContext& c) {
  if (c.input(0).rank() < 1) return InvalidArgument("params must be at least 1 dimensional");
  return GatherAlong(c, c.input(0), c.input(1), 0, 0);
}

StatusOr<int64_t> BatchDims(const KernelInit& init) {
  return init.attrs.Get<int64_t>("batch_dims");
}

Status GatherV2(const int64_t& batch_dims_attr, KernelContext& c) {
  const Tensor& params = c.input(0);
  const Tensor& indices = c.input(1);
  RHEO_ASSIGN_OR_RETURN(const int64_t axis_value, ReadIntScalar(c.input(2), "axis"));
  RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(axis_value, params.rank()));
  const int64_t batch_dims =
      batch_dims_attr < 0 ? batch_dims_attr + indices.rank() : batch_dims_attr;
  RHEO_RETURN_IF_ERROR(CheckBatchDims(params.shape(), indices.shape(), batch_dims));
  if (batch_dims > axis) {
    return InvalidArgument("batch_dims ({}) must be less than or equal to axis ({}).", batch_dims,
                           axis);
  }
  return GatherAlong(c, params, indices, axis, static_cast<int>(batch_dims));
}

Status GatherNd(const BadIndices& bad_indices, KernelContext& c) {
  return GatherSlices(c, c.input(0), c.input(1), bad_indices);
}

}  // namespace

void AddGatherKernels(TableKernels& kernels) {
  kernels.Add("Gather", FunctionKernel(&Gather));
  kernels.Add("GatherV2", AttrKernel(&BatchDims, &GatherV2));
  kernels.Add("GatherNd", AttrKernel(&ReadBadIndices, &GatherNd));
}

}  // namespace rheo::ops
