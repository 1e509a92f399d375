// BroadcastTo, and the arithmetic of shapes that gradients of broadcasting need: BroadcastArgs,
// BroadcastGradientArgs.
#include <algorithm>

#include "rheo/ops/common/broadcast.h"
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/math/kernels.h"

namespace rheo::ops {
namespace {

StatusOr<Shape> ShapeOf(const Tensor& t) {
  std::vector<int64_t> dims(static_cast<size_t>(t.num_elements()));
  if (t.dtype() == DType::kInt32) {
    std::copy_n(t.flat<int32_t>().begin(), dims.size(), dims.begin());
  } else {
    std::copy_n(t.flat<int64_t>().begin(), dims.size(), dims.begin());
  }
  return Shape::Create(dims);
}

template <typename T>
void CopyRows(const BroadcastPlan& plan, const T* x, T* z) {
  const int64_t n = plan.row_length();
  plan.ForEachRow(0, plan.num_rows(), [&](int64_t at, const BroadcastPlan::Offsets& offsets) {
    if (plan.steps(0)) {
      std::copy_n(x + offsets[0], n, z + at);
    } else {
      std::fill_n(z + at, n, x[offsets[0]]);
    }
  });
}

Status BroadcastTo(KernelContext& context) {
  const Tensor& x = context.input(0);
  if (context.input(1).rank() > 1) {
    return InvalidArgument("the shape must be a vector, not {}",
                           context.input(1).shape().ToString());
  }
  RHEO_ASSIGN_OR_RETURN(const Shape wanted, ShapeOf(context.input(1)));
  if (x.shape() == wanted) {
    context.set_output(0, x);
    return OkStatus();
  }
  StatusOr<BroadcastPlan> plan = PlanBroadcast({&x.shape(), &wanted});
  if (!plan.ok() || !(plan->output == wanted)) {
    return InvalidArgument("Incompatible shapes: {} vs. {}", x.shape().ToString(),
                           wanted.ToString());
  }
  RHEO_ASSIGN_OR_RETURN(Tensor * out, context.AllocateOutput(0, wanted));
  DispatchByLayout(x.dtype(), [&]<typename T>() {
    CopyRows(*plan, x.flat<T>().data(), out->mutable_flat<T>().data());
  });
  return OkStatus();
}

Status RequireVectors(const KernelContext& context) {
  for (int i = 0; i < 2; ++i) {
    if (context.input(i).rank() != 1) {
      return InvalidArgument("In[{}] must be a vector, not {}", i,
                             context.input(i).shape().ToString());
    }
  }
  return OkStatus();
}

template <typename T>
void SetVector(KernelContext& context, int output, const std::vector<T>& values) {
  context.set_output(output, Tensor::Vector(values));
}

template <typename T>
Status BroadcastArgsOf(KernelContext& context) {
  RHEO_RETURN_IF_ERROR(RequireVectors(context));
  RHEO_ASSIGN_OR_RETURN(const Shape a, ShapeOf(context.input(0)));
  RHEO_ASSIGN_OR_RETURN(const Shape b, ShapeOf(context.input(1)));
  RHEO_ASSIGN_OR_RETURN(const Shape shape, BroadcastShape(a, b));
  std::vector<T> dims(shape.dims().begin(), shape.dims().end());
  SetVector(context, 0, dims);
  return OkStatus();
}

// For each operand the axes over which its gradient must be summed: those where it was repeated, or
// where both have size 1.
template <typename T>
Status BroadcastGradientArgsOf(KernelContext& context) {
  RHEO_RETURN_IF_ERROR(RequireVectors(context));
  RHEO_ASSIGN_OR_RETURN(const Shape a, ShapeOf(context.input(0)));
  RHEO_ASSIGN_OR_RETURN(const Shape b, ShapeOf(context.input(1)));
  RHEO_ASSIGN_OR_RETURN(const Shape shape, BroadcastShape(a, b));
  const Shape* operands[] = {&a, &b};
  for (int k = 0; k < 2; ++k) {
    std::vector<T> axes;
    const int missing = shape.rank() - operands[k]->rank();
    for (int i = 0; i < shape.rank() && !(a == b); ++i) {
      if (i < missing || operands[k]->dim(i - missing) == 1) axes.push_back(static_cast<T>(i));
    }
    SetVector(context, k, axes);
  }
  return OkStatus();
}

Status BroadcastArgs(KernelContext& context) {
  return context.input_type(0) == DType::kInt32 ? BroadcastArgsOf<int32_t>(context)
                                                : BroadcastArgsOf<int64_t>(context);
}

Status BroadcastGradientArgs(KernelContext& context) {
  return context.input_type(0) == DType::kInt32 ? BroadcastGradientArgsOf<int32_t>(context)
                                                : BroadcastGradientArgsOf<int64_t>(context);
}

}  // namespace

void RegisterBroadcastKernels(kernel::KernelRegistry& registry) {
  TableKernels table(registry);
  table.Add("BroadcastTo", kernel::FunctionKernel(&BroadcastTo));
  table.Add("BroadcastArgs", kernel::FunctionKernel(&BroadcastArgs));
  table.Add("BroadcastGradientArgs", kernel::FunctionKernel(&BroadcastGradientArgs));
}

}  // namespace rheo::ops
