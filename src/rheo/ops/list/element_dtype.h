// The attr of the list operations.
#ifndef RHEO_OPS_LIST_ELEMENT_DTYPE_H_
#define RHEO_OPS_LIST_ELEMENT_DTYPE_H_

#include "rheo/kernel/kernel.h"

namespace rheo::ops {

// What all elements of the list are.
inline StatusOr<DType> ElementDType(const kernel::KernelInit& init) {
  return init.attrs.Get<DType>("element_dtype");
}

}  // namespace rheo::ops

#endif  // RHEO_OPS_LIST_ELEMENT_DTYPE_H_
