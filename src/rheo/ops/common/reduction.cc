#include "rheo/ops/common/reduction.h"

#include <vector>

namespace rheo::ops {
namespace {

struct Group {
  int64_t size;
  int64_t stride;
  bool reduced;
};

// Neighbouring axes of the same kind as one, axes of size 1 dropped; outermost first.
std::vector<Group> MergeAxes(const Shape& input, const std::vector<bool>& reduced) {
  std::vector<Group> groups;
  int64_t stride = 1;
  for (int i = input.rank(); i-- > 0;) {
    const int64_t size = input.dim(i);
    if (size == 1) continue;
    const bool is_reduced = reduced[static_cast<size_t>(i)];
    if (!groups.empty() && groups.back().reduced == is_reduced) {
      groups.back().size *= size;
    } else {
      groups.push_back({size, stride, is_reduced});
    }
    stride *= size;
  }
  std::reverse(groups.begin(), groups.end());
  return groups;
}

ReductionPlan MakePlan(const Shape& input, const std::vector<bool>& reduced, bool keep_dims) {
  ReductionPlan plan;
  for (int i = 0; i < input.rank(); ++i) {
    if (!reduced[static_cast<size_t>(i)]) {
      plan.output.AddDim(input.dim(i));
    } else {
      plan.num_reduced *= input.dim(i);
      if (keep_dims) plan.output.AddDim(1);
    }
  }
  std::vector<Group> groups = MergeAxes(input, reduced);
  if (groups.empty()) return plan;
  plan.row = groups.back().size;
  plan.row_is_reduced = groups.back().reduced;
  groups.pop_back();
  for (const Group& g : groups) {
    StridedSet& set = g.reduced ? plan.reduced : plan.kept;
    set.dims.push_back(g.size);
    set.strides.push_back(g.stride);
  }
  return plan;
}

template <typename T>
std::vector<int64_t> AxesOf(const Tensor& axes) {
  const std::span<const T> values = axes.flat<T>();
  return std::vector<int64_t>(values.begin(), values.end());
}

// All of the input becomes one value: partial results of fixed length, so that the result does not
// depend on the number of threads.
Status ReduceToOne(kernel::KernelContext& context, const ReductionLoops& l, int64_t n, char* out) {
  const char* in = static_cast<const char*>(context.input(0).data());
  if (n <= kPartialLength) {
    l.rows(in, StridedSet{}, n, n, out);
    return OkStatus();
  }
  const int64_t num = (n + kPartialLength - 1) / kPartialLength;
  std::vector<char> partials(static_cast<size_t>(num) * l.accumulator_size + 16);
  void* aligned = partials.data();
  size_t space = partials.size();
  std::align(16, static_cast<size_t>(num) * l.accumulator_size, aligned, space);
  char* first = static_cast<char*>(aligned);
  context.ParallelFor(num, kPartialLength / 4, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t start = i * kPartialLength;
      l.partial(in + start * static_cast<int64_t>(l.input_size),
                std::min(kPartialLength, n - start),
                first + i * static_cast<int64_t>(l.accumulator_size));
    }
  });
  l.combine(first, num, n, out);
  return OkStatus();
}

void ReduceRows(kernel::KernelContext& context, const ReductionLoops& l, const ReductionPlan& plan,
                char* out) {
  const char* in = static_cast<const char*>(context.input(0).data());
  const int64_t ns = 5 + plan.num_reduced / 2;
  context.ParallelFor(plan.kept.count(), ns, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      l.rows(in + plan.kept.offset(i) * static_cast<int64_t>(l.input_size), plan.reduced, plan.row,
             plan.num_reduced, out + i * static_cast<int64_t>(l.output_size));
    }
  });
}

void ReduceColumns(kernel::KernelContext& context, const ReductionLoops& l,
                   const ReductionPlan& plan, char* out) {
  const char* in = static_cast<const char*>(context.input(0).data());
  const int64_t tiles = (plan.row + kMaxColumns - 1) / kMaxColumns;
  const int64_t ns = 10 + plan.num_reduced * std::min(plan.row, kMaxColumns) / 2;
  context.ParallelFor(plan.kept.count() * tiles, ns, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t column = i % tiles * kMaxColumns;
      const int64_t at = plan.kept.offset(i / tiles) + column;
      l.columns(in + at * static_cast<int64_t>(l.input_size), plan.reduced,
                std::min(kMaxColumns, plan.row - column), plan.num_reduced,
                out + (i / tiles * plan.row + column) * static_cast<int64_t>(l.output_size));
    }
  });
}

}  // namespace

int64_t StridedSet::count() const {
  int64_t n = 1;
  for (const int64_t d : dims) n *= d;
  return n;
}

int64_t StridedSet::offset(int64_t i) const {
  int64_t at = 0;
  for (size_t k = dims.size(); k-- > 0;) {
    at += i % dims[k] * strides[k];
    i /= dims[k];
  }
  return at;
}

StatusOr<ReductionPlan> PlanReduction(const Shape& input, std::span<const int64_t> axes,
                                      bool keep_dims) {
  std::vector<bool> reduced(static_cast<size_t>(input.rank()), false);
  for (const int64_t axis : axes) {
    const int64_t index = axis < 0 ? axis + input.rank() : axis;
    if (index < 0 || index >= input.rank()) {
      return InvalidArgument("Invalid reduction dimension ({}) for input with {} dimension(s)",
                             axis, input.rank());
    }
    if (reduced[static_cast<size_t>(index)]) {
      return InvalidArgument("Invalid reduction arguments: axes contain dimension {} twice", index);
    }
    reduced[static_cast<size_t>(index)] = true;
  }
  return MakePlan(input, reduced, keep_dims);
}

StatusOr<ReductionPlan> PlanReduction(const Shape& input, const Tensor& axes, bool keep_dims) {
  return PlanReduction(
      input, axes.dtype() == DType::kInt32 ? AxesOf<int32_t>(axes) : AxesOf<int64_t>(axes),
      keep_dims);
}

Status RunReduction(kernel::KernelContext& context, const ReductionLoops& loops,
                    const ReductionPlan& plan) {
  RHEO_ASSIGN_OR_RETURN(Tensor * out, context.AllocateOutput(0, plan.output));
  if (out->num_elements() == 0) return OkStatus();
  char* z = static_cast<char*>(out->mutable_data());
  if (plan.row_is_reduced && plan.kept.dims.empty() && plan.reduced.dims.empty()) {
    return ReduceToOne(context, loops, plan.row, z);
  }
  if (plan.row_is_reduced) {
    ReduceRows(context, loops, plan, z);
  } else {
    ReduceColumns(context, loops, plan, z);
  }
  return OkStatus();
}

Status ReductionKernel::Compute(kernel::KernelContext& context) {
  RHEO_ASSIGN_OR_RETURN(const ReductionPlan plan,
                        PlanReduction(context.input(0).shape(), context.input(1), keep_dims_));
  return RunReduction(context, loops_, plan);
}

kernel::KernelFactory ReductionFactory(const ReductionLoops& loops) {
  return [&loops](const kernel::KernelInit& init) -> StatusOr<std::unique_ptr<kernel::Kernel>> {
    RHEO_ASSIGN_OR_RETURN(const bool keep_dims, init.attrs.Get<bool>("keep_dims"));
    return std::make_unique<ReductionKernel>(loops, keep_dims);
  };
}

}  // namespace rheo::ops
