// The softmax of one row, shared by softmax and the cross entropies.
#ifndef RHEO_OPS_NN_SOFTMAX_H_
#define RHEO_OPS_NN_SOFTMAX_H_

#include <algorithm>
#include <cstdint>

#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/common/fast_math.h"
#include "rheo/ops/common/reduction.h"

namespace rheo::ops {

// z[i] = e^(x[i] - largest) and their sum; x and z may be the same. n >= 1.
template <typename W>
struct ShiftedExp {
  W largest;
  W sum;
};

template <typename W>
W LargestOf(const W* x, int64_t n) {
  constexpr int64_t kLanes = 8;
  W lanes[kLanes];
  std::fill_n(lanes, kLanes, x[0]);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t j = 0; j < kLanes; ++j) lanes[j] = lanes[j] < x[i + j] ? x[i + j] : lanes[j];
  }
  W largest = *std::max_element(lanes, lanes + kLanes);
  for (; i < n; ++i) largest = largest < x[i] ? x[i] : largest;
  return largest;
}

template <typename W>
ShiftedExp<W> ExpRow(const W* x, W* z, int64_t n) {
  const W largest = LargestOf(x, n);
  RHEO_INDEPENDENT_LOOP
  for (int64_t i = 0; i < n; ++i) z[i] = FastExp(x[i] - largest);
  return {largest, PairwiseSum<W>(z, n, [](W v) { return v; })};
}

}  // namespace rheo::ops

#endif  // RHEO_OPS_NN_SOFTMAX_H_
