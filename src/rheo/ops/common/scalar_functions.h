// Functions of one real number as function objects, for elementwise kernels and for loops that are
// chosen by name at run time.
#ifndef RHEO_OPS_COMMON_SCALAR_FUNCTIONS_H_
#define RHEO_OPS_COMMON_SCALAR_FUNCTIONS_H_

#include <cmath>

#include "rheo/ops/common/fast_math.h"

namespace rheo::ops::scalar {

// A NaN stays one.
struct Relu {
  template <typename T>
  T operator()(T x) const {
    return x < T(0) ? T(0) : x;
  }
};
struct Relu6 {
  template <typename T>
  T operator()(T x) const {
    return x < T(0) ? T(0) : x > T(6) ? T(6) : x;
  }
};
struct Elu {
  template <typename T>
  T operator()(T x) const {
    return x < T(0) ? std::expm1(x) : x;
  }
};
struct Tanh {
  template <typename T>
  T operator()(T x) const {
    return FastTanh(x);
  }
};
struct Sigmoid {
  template <typename T>
  T operator()(T x) const {
    return FastSigmoid(x);
  }
};
// x · Φ(x), with Φ the distribution function of the normal distribution (Hendrycks and Gimpel,
// Gaussian Error Linear Units, 2016).
struct GeluExact {
  template <typename T>
  T operator()(T x) const {
    return T(0.5) * x * (T(1) + std::erf(x * T(0.70710678118654752440)));
  }
};
struct GeluApproximate {
  template <typename T>
  T operator()(T x) const {
    const T inner = T(0.79788456080286535588) * (x + T(0.044715) * x * x * x);
    return T(0.5) * x * (T(1) + FastTanh(inner));
  }
};

}  // namespace rheo::ops::scalar

#endif  // RHEO_OPS_COMMON_SCALAR_FUNCTIONS_H_
