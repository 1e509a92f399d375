// Activation functions.
#include <cmath>

#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/common/fast_math.h"
#include "rheo/ops/nn/activation.h"
#include "rheo/ops/nn/kernels.h"

namespace rheo::ops {
namespace {

// A NaN stays one.
struct ReluOf {
  template <typename T>
  T operator()(T x) const {
    return x < T(0) ? T(0) : x;
  }
};
struct Relu6Of {
  template <typename T>
  T operator()(T x) const {
    return x < T(0) ? T(0) : x > T(6) ? T(6) : x;
  }
};
struct EluOf {
  template <typename T>
  T operator()(T x) const {
    return x < T(0) ? std::expm1(x) : x;
  }
};
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
  AddUnary<RealTypes>(registry, "Relu", ReluOf());
  AddUnary<RealTypes>(registry, "Relu6", Relu6Of());
  AddUnary<FloatTypes, kCostly>(registry, "Elu", EluOf());
  AddUnary<FloatTypes, kCostly>(registry, "Selu", SeluOf());
  AddUnary<FloatTypes, kCostly>(registry, "Softplus", SoftplusOf());
  AddUnary<FloatTypes>(registry, "Softsign", SoftsignOf());
}

}  // namespace rheo::ops
