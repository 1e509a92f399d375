// Taking slices of a tensor by index: the work of Gather, ResourceGather and GatherNd.
#ifndef RHEO_OPS_COMMON_GATHER_H_
#define RHEO_OPS_COMMON_GATHER_H_

#include <string>
#include <vector>

#include "rheo/kernel/kernel.h"

namespace rheo::ops {

// out[b, o, i, …] = params[b, o, indices[b, i], …] where b stands for the first `batch_dims` axes,
// o for the others before `axis`. Sets output 0 of `context`. `indices` are int16, int32 or int64.
// INVALID_ARGUMENT naming an index that is out of range.
Status GatherAlong(kernel::KernelContext& context, const Tensor& params, const Tensor& indices,
                   int axis, int batch_dims);

// INVALID_ARGUMENT unless the first `batch_dims` axes of both shapes are equal.
Status CheckBatchDims(const Shape& params, const Shape& indices, int64_t batch_dims);

// What GatherNd and the ScatterNd ops do with an index that is out of range.
enum class BadIndices { kError, kIgnore };
// From attr bad_indices_policy; kError where the op has none.
StatusOr<BadIndices> ReadBadIndices(const kernel::KernelInit& init);

// out[i, …] = params[indices[i, 0], indices[i, 1], …, …]; ignored indices give zeros. Sets output
// 0.
Status GatherSlices(kernel::KernelContext& context, const Tensor& params, const Tensor& indices,
                    BadIndices bad_indices);

// Where each index vector (a row of the last axis of `indices`) points among the slices of `shape`
// that are left after indexing: row-major numbers; -1 for ignored ones. INVALID_ARGUMENT for too
// long vectors, and naming one that is out of range.
StatusOr<std::vector<int64_t>> SliceNumbers(const Tensor& indices, const Shape& shape,
                                            BadIndices bad_indices);

// "[1,0]": the position of element `index` of a tensor of `shape`; "[3]" for a vector.
std::string PositionText(const Shape& shape, int64_t index);

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_GATHER_H_
