// What counts as true for If, While and ToBool.
#ifndef RHEO_OPS_FUNCTIONAL_TRUTH_H_
#define RHEO_OPS_FUNCTIONAL_TRUTH_H_

#include "rheo/tensor/tensor.h"

namespace rheo::ops {

// A scalar: a number other than 0, a text that is not empty. Any other tensor: one that has
// elements. INVALID_ARGUMENT for a scalar of another dtype.
StatusOr<bool> IsTrue(const Tensor& tensor);

}  // namespace rheo::ops

#endif  // RHEO_OPS_FUNCTIONAL_TRUTH_H_
