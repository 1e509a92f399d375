// Range, LinSpace and OneHot.
#include "rheo/ops/array/dims.h"
#include "rheo/ops/array/kernels.h"
#include "rheo/ops/array/range_size.h"
#include "rheo/ops/common/integers.h"
#include "rheo/ops/common/kernel_factories.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;

Status RequireScalar(const Tensor& tensor, std::string_view what) {
  if (tensor.num_elements() == 1) return OkStatus();
  return InvalidArgument("{} must be a scalar, but has shape {}", what, tensor.shape().ToString());
}

template <typename T>
Status Range(KernelContext& c) {
  RHEO_RETURN_IF_ERROR(RequireScalar(c.input(0), "start"));
  RHEO_RETURN_IF_ERROR(RequireScalar(c.input(1), "limit"));
  RHEO_RETURN_IF_ERROR(RequireScalar(c.input(2), "delta"));
  const T start = c.input(0).scalar<T>();
  const T delta = c.input(2).scalar<T>();
  RHEO_ASSIGN_OR_RETURN(const int64_t size, RangeSize<T>(start, c.input(1).scalar<T>(), delta));
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, Shape{size}));
  const std::span<T> values = out->mutable_flat<T>();
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = T(start + static_cast<T>(i) * delta);
  }
  return OkStatus();
}

template <typename T>
Status LinSpace(KernelContext& c) {
  RHEO_RETURN_IF_ERROR(RequireScalar(c.input(0), "start"));
  RHEO_RETURN_IF_ERROR(RequireScalar(c.input(1), "stop"));
  RHEO_ASSIGN_OR_RETURN(const int64_t num, ReadIntScalar(c.input(2), "num"));
  if (num <= 0) return InvalidArgument("num must be positive, but is {}", num);
  const T start = c.input(0).scalar<T>();
  const T stop = c.input(1).scalar<T>();
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, Shape{num}));
  const std::span<T> values = out->mutable_flat<T>();
  values[0] = start;
  if (num == 1) return OkStatus();
  const T step = (stop - start) / static_cast<T>(num - 1);
  for (int64_t i = 1; i < num - 1; ++i) {
    values[static_cast<size_t>(i)] = start + step * static_cast<T>(i);
  }
  values.back() = stop;
  return OkStatus();
}

template <typename Index>
Dims WidenIndices(const Tensor& indices) {
  const std::span<const Index> values = indices.flat<Index>();
  return Dims(values.begin(), values.end());
}

StatusOr<Dims> OneHotIndices(const Tensor& indices) {
  if (indices.dtype() == DType::kUint8) return WidenIndices<uint8_t>(indices);
  return ReadIntegers(indices, "indices");
}

Status OneHot(const int64_t& axis_attr, KernelContext& c) {
  const Tensor& indices = c.input(0);
  RHEO_ASSIGN_OR_RETURN(const int64_t depth, ReadIntScalar(c.input(1), "depth"));
  if (depth < 0) return InvalidArgument("depth must not be negative, but is {}", depth);
  RHEO_RETURN_IF_ERROR(RequireScalar(c.input(2), "on_value"));
  RHEO_RETURN_IF_ERROR(RequireScalar(c.input(3), "off_value"));
  RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(axis_attr, indices.rank() + 1));
  RHEO_ASSIGN_OR_RETURN(const Dims hot, OneHotIndices(indices));
  Shape shape = indices.shape();
  int64_t inner = 1;
  for (int i = axis; i < shape.rank(); ++i) inner *= shape.dim(i);
  shape.InsertDim(axis, depth);
  RHEO_ASSIGN_OR_RETURN(shape, Shape::Create(shape.dims()));
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, std::move(shape)));
  DispatchByLayout(out->dtype(), [&]<typename T>() {
    const std::span<T> values = out->mutable_flat<T>();
    std::fill(values.begin(), values.end(), c.input(3).scalar<T>());
    for (size_t i = 0; i < hot.size(); ++i) {
      if (hot[i] < 0 || hot[i] >= depth) continue;
      const int64_t outer = static_cast<int64_t>(i) / inner;
      const int64_t column = static_cast<int64_t>(i) % inner;
      values[static_cast<size_t>((outer * depth + hot[i]) * inner + column)] =
          c.input(2).scalar<T>();
    }
  });
  return OkStatus();
}

}  // namespace

void AddSequenceKernels(TableKernels& kernels) {
  using RangeTypes = TypeList<float, double, Half, Bfloat16, int32_t, int64_t>;
  kernels.Add("Range",
              ByType<RangeTypes>("Tidx", []<typename T>() { return FunctionKernel(&Range<T>); }));
  kernels.Add("LinSpace", ByType<TypeList<float, double>>(
                              "T", []<typename T>() { return FunctionKernel(&LinSpace<T>); }));
  kernels.Add("OneHot", AttrKernel(&AxisAttr, &OneHot));
}

}  // namespace rheo::ops
