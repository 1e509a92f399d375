// Activation functions.
#include <cmath>

#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/common/fast_math.h"
#include "rheo/ops/common/scalar_functions.h"
#include "rheo/ops/nn/activation.h"
#include "rheo/ops/nn/kernels.h"

namespace rheo::ops {
namespace {

struct SeluOf {
  template <typename T>
  T operator()(T x) const {
    return x < T(0) ? T(kSeluScaleAlpha) * std::expm1(x) : T(kSeluScale) * x;
  }
};
// log(1 + e^x) without overflow.
struct SoftplusOf {
  template <typename T>
  T operator()(T x) const {
    const T positive = x < T(0) ? T(0) : x;
    return positive + std::log1p(FastExp(-std::abs(x)));
  }
};
struct SoftsignOf {
  template <typename T>
  T operator()(T x) const {
    return x / (T(1) + std::abs(x));
  }
};

}  // namespace

void RegisterActivationKernels(kernel::KernelRegistry& registry) {
  AddUnary<RealTypes>(registry, "Relu", scalar::Relu());
  AddUnary<RealTypes>(registry, "Relu6", scalar::Relu6());
  AddUnary<FloatTypes, kCostly>(registry, "Elu", scalar::Elu());
  AddUnary<FloatTypes, kCostly>(registry, "Selu", SeluOf());
  AddUnary<FloatTypes, kCostly>(registry, "Softplus", SoftplusOf());
  AddUnary<FloatTypes>(registry, "Softsign", SoftsignOf());
}

}  // namespace rheo::ops
