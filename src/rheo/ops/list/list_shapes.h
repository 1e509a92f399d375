// What the TensorList ops know of their elements.
#ifndef RHEO_OPS_LIST_LIST_SHAPES_H_
#define RHEO_OPS_LIST_LIST_SHAPES_H_

#include "rheo/kernel/kernel_context.h"
#include "rheo/ops/common/tensor_list.h"

namespace rheo::ops {

// Input `i` as a shape: an int32 or int64 vector with -1 for unknown dims, or the scalar -1 for an
// unknown rank.
StatusOr<PartialShape> ReadElementShape(const kernel::KernelContext& context, int i);

// What input `i` and the list together say. INVALID_ARGUMENT when they contradict.
StatusOr<PartialShape> MergedElementShape(const kernel::KernelContext& context, int i,
                                          const TensorList& list);

// INVALID_ARGUMENT unless the list's elements are of `dtype`.
Status CheckListDType(const TensorList& list, DType dtype);

}  // namespace rheo::ops

#endif  // RHEO_OPS_LIST_LIST_SHAPES_H_
