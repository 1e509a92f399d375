// The arithmetic of reductions, on plain bytes.
#ifndef RHEO_COLLECTIVE_MERGE_H_
#define RHEO_COLLECTIVE_MERGE_H_

#include "rheo/base/status.h"
#include "rheo/kernel/collectives.h"
#include "rheo/tensor/dtype.h"

namespace rheo::collective {

// UNIMPLEMENTED for a dtype that has no arithmetic here: float, double, half, bfloat16, int32 and
// int64 have.
Status CheckMergeable(DType dtype);

// into[i] = merge(own[i], into[i]) for `count` elements of a mergeable dtype; 16-bit floats compute
// in float, integers wrap, and a NaN is the maximum and the minimum.
void Merge(kernel::MergeOp op, DType dtype, int64_t count, const void* own, void* into);

// values[i] /= divisor; integers are cut off towards zero.
void Divide(DType dtype, int64_t count, int divisor, void* values);

}  // namespace rheo::collective

#endif  // RHEO_COLLECTIVE_MERGE_H_
