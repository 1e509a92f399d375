// Gradients of functions of one number in terms of the function's value, as single operations.
// Those of Sigmoid and Tanh expect the conjugate of a complex value, the others take it themselves.
#include <cmath>

#include "rheo/ops/common/arithmetic.h"
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/math/kernels.h"

namespace rheo::ops {
namespace {

struct SigmoidGradOf {
  template <typename T>
  T operator()(T y, T dy) const {
    return dy * y * (T(1) - y);
  }
};
struct TanhGradOf {
  template <typename T>
  T operator()(T y, T dy) const {
    return dy * (T(1) - y * y);
  }
};
struct SqrtGradOf {
  template <typename T>
  T operator()(T y, T dy) const {
    return dy * T(0.5) / Conjugate(y);
  }
};
struct RsqrtGradOf {
  template <typename T>
  T operator()(T y, T dy) const {
    return T(-0.5) * dy * Conjugate(y * y * y);
  }
};
struct ReciprocalGradOf {
  template <typename T>
  T operator()(T y, T dy) const {
    return -dy * Conjugate(y * y);
  }
};

}  // namespace

void RegisterGradHelperKernels(kernel::KernelRegistry& registry) {
  AddSameShape<FloatComplexTypes>(registry, "SigmoidGrad", SigmoidGradOf());
  AddSameShape<FloatComplexTypes>(registry, "TanhGrad", TanhGradOf());
  AddSameShape<FloatComplexTypes>(registry, "SqrtGrad", SqrtGradOf());
  AddSameShape<FloatComplexTypes>(registry, "RsqrtGrad", RsqrtGradOf());
  AddSameShape<FloatComplexTypes>(registry, "ReciprocalGrad", ReciprocalGradOf());
  AddSameShape<FloatComplexTypes>(registry, "InvGrad", ReciprocalGradOf());
}

}  // namespace rheo::ops
