// Reading the small integer tensors that say how an op works: shapes, axes, sizes.
#ifndef RHEO_OPS_COMMON_INTEGERS_H_
#define RHEO_OPS_COMMON_INTEGERS_H_

#include <string_view>

#include "rheo/base/status.h"
#include "rheo/tensor/tensor.h"

namespace rheo::ops {

// The elements of an int8, int16, int32 or int64 tensor, whatever its shape. INVALID_ARGUMENT for
// another dtype; `what` names the tensor in messages.
StatusOr<Dims> ReadIntegers(const Tensor& tensor, std::string_view what);

// As ReadIntegers, but the tensor must have rank 1.
StatusOr<Dims> ReadIntVector(const Tensor& tensor, std::string_view what);

// The element of an integer tensor of one element.
StatusOr<int64_t> ReadIntScalar(const Tensor& tensor, std::string_view what);

// A vector of sizes as a shape: INVALID_ARGUMENT for a negative size or too many elements.
StatusOr<Shape> ReadShape(const Tensor& tensor, std::string_view what);

// `axis` counted from the end when negative. INVALID_ARGUMENT unless it is in [-rank, rank).
StatusOr<int> ResolveAxis(int64_t axis, int rank);

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_INTEGERS_H_
