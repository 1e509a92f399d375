#include "rheo/ops/common/broadcast.h"

#include <algorithm>

namespace rheo::ops {
namespace {

// Size of `shape` along dimension i of an output of rank `rank`, aligned at the right.
int64_t AlignedDim(const Shape& shape, int rank, int i) {
  const int own = i - (rank - shape.rank());
  return own < 0 ? 1 : shape.dim(own);
}

// Strides of an operand along the output's dimensions: 0 where it is repeated.
Dims AlignedStrides(const Shape& shape, const Shape& output) {
  Dims strides(static_cast<size_t>(output.rank()), 0);
  int64_t stride = 1;
  for (int i = output.rank(); i-- > 0;) {
    const int64_t dim = AlignedDim(shape, output.rank(), i);
    if (dim != 1) strides[static_cast<size_t>(i)] = stride;
    stride *= dim;
  }
  return strides;
}

// True when dimension `outer` of every operand goes on where `inner`, of size `size`, ends.
bool CanMerge(const std::array<Dims, kMaxBroadcastOperands>& strides, size_t num_operands,
              size_t outer, size_t inner, int64_t size) {
  for (size_t k = 0; k < num_operands; ++k) {
    if (strides[k][outer] != strides[k][inner] * size) return false;
  }
  return true;
}

}  // namespace

int64_t BroadcastPlan::num_rows() const {
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < dims.size(); ++i) rows *= dims[i];
  return dims.back() == 0 ? 0 : rows;
}

void BroadcastPlan::ForEachRow(int64_t begin, int64_t end,
                               absl::FunctionRef<void(int64_t, const Offsets&)> row) const {
  if (begin >= end) return;
  const size_t outer = dims.size() - 1;
  Dims index(outer, 0);
  Offsets offsets{};
  int64_t rest = begin;
  for (size_t i = outer; i-- > 0;) {
    index[i] = rest % dims[i];
    rest /= dims[i];
    for (size_t k = 0; k < offsets.size(); ++k) {
      if (!strides[k].empty()) offsets[k] += index[i] * strides[k][i];
    }
  }
  for (int64_t r = begin; r < end; ++r) {
    row(r * row_length(), offsets);
    for (size_t i = outer; i-- > 0;) {
      const bool carries = ++index[i] == dims[i];
      for (size_t k = 0; k < offsets.size(); ++k) {
        if (strides[k].empty()) continue;
        offsets[k] += carries ? -(dims[i] - 1) * strides[k][i] : strides[k][i];
      }
      if (!carries) break;
      index[i] = 0;
    }
  }
}

StatusOr<Shape> BroadcastShape(const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  Shape result;
  for (int i = 0; i < rank; ++i) {
    const int64_t x = AlignedDim(a, rank, i);
    const int64_t y = AlignedDim(b, rank, i);
    if (x != y && x != 1 && y != 1) {
      return InvalidArgument("Incompatible shapes: {} vs. {}", a.ToString(), b.ToString());
    }
    result.AddDim(x == 1 ? y : x);
  }
  return result;
}

StatusOr<BroadcastPlan> PlanBroadcast(std::initializer_list<const Shape*> operands) {
  BroadcastPlan plan;
  for (const Shape* s : operands) {
    RHEO_ASSIGN_OR_RETURN(plan.output, BroadcastShape(plan.output, *s));
  }
  std::array<Dims, kMaxBroadcastOperands> full;
  size_t num_operands = 0;
  for (const Shape* s : operands) full[num_operands++] = AlignedStrides(*s, plan.output);

  // From the innermost dimension outwards; reversed at the end.
  size_t inner = 0;
  for (size_t i = static_cast<size_t>(plan.output.rank()); i-- > 0;) {
    const int64_t size = plan.output.dim(static_cast<int>(i));
    if (size == 1) continue;
    // `inner` is the innermost dimension of the merged group; its stride counts.
    if (!plan.dims.empty() && CanMerge(full, num_operands, i, inner, plan.dims.back())) {
      plan.dims.back() *= size;
      continue;
    }
    inner = i;
    plan.dims.push_back(size);
    for (size_t k = 0; k < num_operands; ++k) plan.strides[k].push_back(full[k][i]);
  }
  if (plan.dims.empty()) {
    plan.dims.push_back(1);
    for (size_t k = 0; k < num_operands; ++k) plan.strides[k].push_back(0);
  }
  std::reverse(plan.dims.begin(), plan.dims.end());
  for (Dims& s : plan.strides) std::reverse(s.begin(), s.end());
  return plan;
}

}  // namespace rheo::ops
