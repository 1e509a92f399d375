// Combining updates into slices of a tensor: the work of the Scatter ops on tensors and variables.
#ifndef RHEO_OPS_COMMON_SCATTER_H_
#define RHEO_OPS_COMMON_SCATTER_H_

#include <span>
#include <vector>

#include "rheo/kernel/kernel_context.h"
#include "rheo/ops/common/gather.h"

namespace rheo::ops {

enum class ScatterKind { kUpdate, kAdd, kSub, kMul, kDiv, kMin, kMax };

// For each i, in order: slice slices[i] of `dest` becomes the combination of itself and slice i of
// `updates`. Slices are `num_slices` equal parts of `dest`; -1 is left out. `updates` of one
// element stand for every slice when `is_scalar_update`. Writes into dest's buffer.
// INVALID_ARGUMENT for an integer division by zero, UNIMPLEMENTED for a dtype that does not combine
// so.
Status ScatterSlices(ScatterKind kind, Tensor& dest, int64_t num_slices,
                     std::span<const int64_t> slices, const Tensor& updates,
                     bool is_scalar_update = false);

// The ScatterNd form: slices named by index vectors. Checks the shape of `updates`.
Status ScatterNdInto(ScatterKind kind, Tensor& dest, const Tensor& indices, const Tensor& updates,
                     BadIndices bad_indices);

// The Scatter form: rows of the first axis. INVALID_ARGUMENT naming an index that is out of range,
// or shapes that do not fit (updates: indices' shape, then a row's; or a scalar).
Status ScatterRowsInto(ScatterKind kind, Tensor& dest, const Tensor& indices,
                       const Tensor& updates);

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_SCATTER_H_
