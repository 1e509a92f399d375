// How the TensorArray ops find their array.
#ifndef RHEO_OPS_LIST_TENSOR_ARRAY_HANDLE_H_
#define RHEO_OPS_LIST_TENSOR_ARRAY_HANDLE_H_

#include <memory>

#include "rheo/ops/list/tensor_array.h"

namespace rheo::ops {

// The array that input 0 names, in any form of handle. NOT_FOUND when this step has none.
StatusOr<std::shared_ptr<TensorArray>> FindArray(const kernel::KernelContext& context);

// INVALID_ARGUMENT unless output 0 has the array's dtype.
Status CheckReadDType(const kernel::KernelContext& context, const TensorArray& array);

}  // namespace rheo::ops

#endif  // RHEO_OPS_LIST_TENSOR_ARRAY_HANDLE_H_
