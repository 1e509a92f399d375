// Products of two matrices.
#ifndef RHEO_OPS_MATH_GEMM_H_
#define RHEO_OPS_MATH_GEMM_H_

#include <cstdint>

#include "rheo/kernel/kernel_context.h"

namespace rheo::ops {

// c (m × n) = op(a) (m × k) · op(b) (k × n), all row-major without gaps; op transposes and takes
// the complex conjugate as asked. c is all zeros when k is 0.
struct GemmShape {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  bool conjugate_a = false;
  bool conjugate_b = false;
};

// The product of two matrices that may be transposed. INVALID_ARGUMENT, in TensorFlow's words, when
// they are none or do not fit.
StatusOr<GemmShape> GemmShapeOf(const Tensor& a, const Tensor& b, bool transpose_a,
                                bool transpose_b);

// Nanoseconds that one product takes on one thread, roughly.
int64_t EstimateGemmNs(const GemmShape& shape);

// Defined for float (oneDNN), Half and Bfloat16 (as float), double, the integers of 16, 32 and 64
// bits (which wrap around) and complex numbers. Runs on the intra-op pool of `context`, or on this
// thread alone when it is null.
template <typename T>
void Gemm(const kernel::KernelContext* context, const GemmShape& shape, const T* a, const T* b,
          T* c);

}  // namespace rheo::ops

#endif  // RHEO_OPS_MATH_GEMM_H_
