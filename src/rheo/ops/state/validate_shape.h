// The attr of both kinds of assignment.
#ifndef RHEO_OPS_STATE_VALIDATE_SHAPE_H_
#define RHEO_OPS_STATE_VALIDATE_SHAPE_H_

#include "rheo/kernel/kernel.h"

namespace rheo::ops {

// Whether a value of another shape than the variable's is refused.
inline StatusOr<bool> ValidateShape(const kernel::KernelInit& init) {
  return init.attrs.Get<bool>("validate_shape");
}

}  // namespace rheo::ops

#endif  // RHEO_OPS_STATE_VALIDATE_SHAPE_H_
