// The bounds of the ops that give whole numbers.
#ifndef RHEO_OPS_RANDOM_INT_RANGE_H_
#define RHEO_OPS_RANDOM_INT_RANGE_H_

#include "rheo/ops/random/distributions.h"
#include "rheo/tensor/tensor.h"

namespace rheo::ops {

// INVALID_ARGUMENT unless both are scalars and minval is less than maxval.
template <typename T>
StatusOr<UniformInt<T>> ReadIntRange(const Tensor& minval, const Tensor& maxval) {
  if (minval.num_elements() != 1 || maxval.num_elements() != 1) {
    return InvalidArgument("minval and maxval must be scalars, but have shapes {} and {}",
                           minval.shape().ToString(), maxval.shape().ToString());
  }
  const T low = minval.scalar<T>();
  const T high = maxval.scalar<T>();
  if (low >= high) return InvalidArgument("Need minval < maxval, got {} >= {}", low, high);
  using U = typename UniformInt<T>::U;
  return UniformInt<T>{.low = low,
                       .range = static_cast<U>(static_cast<U>(high) - static_cast<U>(low))};
}

}  // namespace rheo::ops

#endif  // RHEO_OPS_RANDOM_INT_RANGE_H_
