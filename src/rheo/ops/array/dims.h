// Small things that several array kernels read of attrs and shapes.
#ifndef RHEO_OPS_ARRAY_DIMS_H_
#define RHEO_OPS_ARRAY_DIMS_H_

#include <cstdint>
#include <span>

#include "rheo/kernel/kernel.h"

namespace rheo::ops {

// 1 for none. Precondition: they are of a shape, so that the product is an int64_t.
inline int64_t Product(std::span<const int64_t> dims) {
  int64_t n = 1;
  for (const int64_t d : dims) n *= d;
  return n;
}

inline StatusOr<int64_t> AxisAttr(const kernel::KernelInit& init) {
  return init.attrs.Get<int64_t>("axis");
}

}  // namespace rheo::ops

#endif  // RHEO_OPS_ARRAY_DIMS_H_
