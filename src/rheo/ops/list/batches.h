// Parts of a tensor as elements of an array or list, and back.
#ifndef RHEO_OPS_LIST_BATCHES_H_
#define RHEO_OPS_LIST_BATCHES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "rheo/kernel/kernel_context.h"
#include "rheo/tensor/tensor.h"

namespace rheo::ops {

// RESOURCE_EXHAUSTED for more elements than an array or list may have: a wrong number must not take
// all memory.
Status CheckNumElements(int64_t n);

// The rows of `value`, which they share. Precondition: rank >= 1.
std::vector<Tensor> RowsOf(const Tensor& value);

// Pieces of `lengths` rows each, which share `value`. INVALID_ARGUMENT with TensorList's texts when
// the lengths do not add up. Precondition: rank >= 1.
StatusOr<std::vector<Tensor>> PiecesOf(const Tensor& value, std::span<const int64_t> lengths);

// Sets output 0 to all rows of `values` one after the other, each row of `row_shape`, and output 1
// to how many rows each had.
Status SetConcatenated(kernel::KernelContext& context, DType dtype, const Shape& row_shape,
                       const std::vector<Tensor>& values);

}  // namespace rheo::ops

#endif  // RHEO_OPS_LIST_BATCHES_H_
