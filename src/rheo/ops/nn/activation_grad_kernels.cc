// Gradients of activation functions: from the incoming gradient, and the function's argument or
// value.
#include <cmath>

#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/common/fast_math.h"
#include "rheo/ops/nn/activation.h"
#include "rheo/ops/nn/kernels.h"

namespace rheo::ops {
namespace {

struct ReluGradOf {
  template <typename T>
  T operator()(T gradient, T feature) const {
    return feature > T(0) ? gradient : T(0);
  }
};
struct Relu6GradOf {
  template <typename T>
  T operator()(T gradient, T feature) const {
    return feature > T(0) && feature < T(6) ? gradient : T(0);
  }
};
struct EluGradOf {
  template <typename T>
  T operator()(T gradient, T output) const {
    return output < T(0) ? (output + T(1)) * gradient : gradient;
  }
};
struct SeluGradOf {
  template <typename T>
  T operator()(T gradient, T output) const {
    return gradient * (output < T(0) ? output + T(kSeluScaleAlpha) : T(kSeluScale));
  }
};
struct SoftplusGradOf {
  template <typename T>
  T operator()(T gradient, T feature) const {
    return gradient / (FastExp(-feature) + T(1));
  }
};
struct SoftsignGradOf {
  template <typename T>
  T operator()(T gradient, T feature) const {
    const T root = T(1) + std::abs(feature);
    return gradient / (root * root);
  }
};

}  // namespace

void RegisterActivationGradKernels(kernel::KernelRegistry& registry) {
  AddSameShape<RealTypes>(registry, "ReluGrad", ReluGradOf());
  AddSameShape<RealTypes>(registry, "Relu6Grad", Relu6GradOf());
  AddSameShape<FloatTypes>(registry, "EluGrad", EluGradOf());
  AddSameShape<FloatTypes>(registry, "SeluGrad", SeluGradOf());
  AddSameShape<FloatTypes, kCostly>(registry, "SoftplusGrad", SoftplusGradOf());
  AddSameShape<FloatTypes>(registry, "SoftsignGrad", SoftsignGradOf());
}

}  // namespace rheo::ops
