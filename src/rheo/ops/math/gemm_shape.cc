#include "rheo/ops/math/gemm.h"

namespace rheo::ops {

StatusOr<GemmShape> GemmShapeOf(const Tensor& a, const Tensor& b, bool transpose_a,
                                bool transpose_b) {
  if (a.rank() != 2 || b.rank() != 2) {
    return InvalidArgument("In[0] and In[1] must be matrices, not {} and {}", a.shape().ToString(),
                           b.shape().ToString());
  }
  const GemmShape shape = {.m = a.dim(transpose_a ? 1 : 0),
                           .n = b.dim(transpose_b ? 0 : 1),
                           .k = a.dim(transpose_a ? 0 : 1),
                           .transpose_a = transpose_a,
                           .transpose_b = transpose_b};
  if (shape.k != b.dim(transpose_b ? 1 : 0)) {
    return InvalidArgument("Matrix size-incompatible: In[0]: {}, In[1]: {}", a.shape().ToString(),
                           b.shape().ToString());
  }
  return shape;
}

int64_t EstimateGemmNs(const GemmShape& s) { return 200 + s.m * s.n * s.k / 100; }

}  // namespace rheo::ops
