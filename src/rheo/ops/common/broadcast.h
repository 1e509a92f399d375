// BroadcastPlan: how up to three operands are read to fill their common, broadcast shape.
#ifndef RHEO_OPS_COMMON_BROADCAST_H_
#define RHEO_OPS_COMMON_BROADCAST_H_

#include <array>
#include <initializer_list>

#include "absl/functional/function_ref.h"
#include "rheo/base/status.h"
#include "rheo/tensor/shape.h"

namespace rheo::ops {

inline constexpr size_t kMaxBroadcastOperands = 3;

// Neighbouring dimensions are merged where all operands allow it, dimensions of size 1 are dropped.
// The innermost dimension is the row: each operand has stride 1 or 0 along it.
struct BroadcastPlan {
  using Offsets = std::array<int64_t, kMaxBroadcastOperands>;

  Shape output;
  Dims dims;                                        // merged, outermost first; at least one
  std::array<Dims, kMaxBroadcastOperands> strides;  // in elements, by operand; 0: repeated

  int64_t row_length() const { return dims.back(); }
  int64_t num_rows() const;  // 0 when the output is empty
  bool steps(size_t operand) const { return strides[operand].back() != 0; }

  // Calls `row(output offset, operand offsets)` for the rows [begin, end).
  void ForEachRow(int64_t begin, int64_t end,
                  absl::FunctionRef<void(int64_t, const Offsets&)> row) const;
};

// As numpy broadcasts. INVALID_ARGUMENT "Incompatible shapes: [2] vs. [3]" when they do not fit.
StatusOr<BroadcastPlan> PlanBroadcast(std::initializer_list<const Shape*> operands);

// The common shape alone.
StatusOr<Shape> BroadcastShape(const Shape& a, const Shape& b);

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_BROADCAST_H_
