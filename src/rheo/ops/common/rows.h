// Rows: tensors that become slices of a larger tensor, and slices that become tensors.
#ifndef RHEO_OPS_COMMON_ROWS_H_
#define RHEO_OPS_COMMON_ROWS_H_

#include <cstdint>
#include <span>

#include "rheo/kernel/kernel_context.h"
#include "rheo/tensor/tensor.h"

namespace rheo::ops {

// Copies `count` elements; both tensors have the same dtype and room for them.
void CopyElements(const Tensor& from, int64_t from_first, Tensor& to, int64_t to_first,
                  int64_t count);

// All elements become the dtype's zero: 0, false, "", an empty handle or variant.
void FillWithZeros(Tensor& tensor);

// A tensor of `rows.size()` rows, each of `shape` and `dtype`. Rows without a value are zeros.
StatusOr<Tensor> StackRows(const kernel::KernelContext& context, DType dtype, const Shape& shape,
                           std::span<const Tensor> rows);
// As StackRows for rows that may differ in size: each lies in the corner of its slot, the rest is
// zeros. `shape` has room for all.
StatusOr<Tensor> StackPadded(const kernel::KernelContext& context, DType dtype, const Shape& shape,
                             std::span<const Tensor> rows);

// Rows [begin, end) of `batch` with a buffer of their own, so that they do not keep the whole batch
// alive. Precondition: rank >= 1.
StatusOr<Tensor> CopyRows(const kernel::KernelContext& context, const Tensor& batch, int64_t begin,
                          int64_t end);
// One row, without the first dimension.
StatusOr<Tensor> CopyRow(const kernel::KernelContext& context, const Tensor& batch, int64_t row);

// The dims of `shape` without the first, and with one before the first.
Shape WithoutFirst(const Shape& shape);
Shape WithFirst(int64_t first, const Shape& shape);

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_ROWS_H_
