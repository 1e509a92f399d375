// StridedSlice, its gradient, and the assignments to a strided slice.
#include "rheo/ops/array/kernels.h"
#include "rheo/ops/array/strided_slice_spec.h"
#include "rheo/ops/common/integers.h"
#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/stored_tensor.h"
#include "rheo/ops/common/view.h"

namespace rheo::ops {
namespace {

using kernel::KernelContext;
using kernel::KernelInit;

StatusOr<SliceMasks> Masks(const KernelInit& init) { return ReadSliceMasks(init.attrs); }

// The slice of a tensor of `shape`; inputs first, first + 1 and first + 2 are begin, end, strides.
StatusOr<StridedSliceSpec> ReadSpec(const KernelContext& c, const Shape& shape, int first,
                                    const SliceMasks& masks) {
  RHEO_ASSIGN_OR_RETURN(Dims begin, ReadIntVector(c.input(first), "begin"));
  RHEO_ASSIGN_OR_RETURN(Dims end, ReadIntVector(c.input(first + 1), "end"));
  RHEO_ASSIGN_OR_RETURN(Dims strides, ReadIntVector(c.input(first + 2), "strides"));
  if (begin.size() != end.size() || begin.size() != strides.size()) {
    return InvalidArgument(
        "Expected begin, end, and strides to be 1D equal size tensors, but got "
        "sizes {}, {} and {}",
        begin.size(), end.size(), strides.size());
  }
  const auto length = static_cast<int>(begin.size());
  const SliceBounds bounds{.length = length,
                           .begin = std::move(begin),
                           .end = std::move(end),
                           .strides = std::move(strides)};
  return ResolveStridedSlice(shape, bounds, masks);
}

View ViewOf(const StridedSliceSpec& spec, const Shape& shape) {
  View view = DenseView(shape);
  for (size_t i = 0; i < view.dims.size(); ++i) {
    view.dims[i] = spec.taken.dim(static_cast<int>(i));
    view.offset += spec.begin[i] * view.strides[i];
    view.strides[i] *= spec.strides[i];
  }
  return view;
}

// True when the slice takes all of every axis but the first, and that without gaps.
bool IsRowRange(const StridedSliceSpec& spec, const Shape& shape) {
  for (int i = 0; i < shape.rank(); ++i) {
    if (spec.strides[static_cast<size_t>(i)] != 1) return false;
    if (i > 0 && spec.taken.dim(i) != shape.dim(i)) return false;
  }
  return shape.rank() > 0;
}

Status StridedSlice(const SliceMasks& masks, KernelContext& c) {
  const Tensor& in = c.input(0);
  RHEO_ASSIGN_OR_RETURN(const StridedSliceSpec spec, ReadSpec(c, in.shape(), 1, masks));
  Shape shape = spec.shape.ToShape();
  if (IsRowRange(spec, in.shape())) {
    const Tensor rows = in.Rows(spec.begin[0], spec.begin[0] + spec.taken.dim(0));
    c.set_output(0, rows.Reshaped(std::move(shape)));
    return OkStatus();
  }
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, std::move(shape)));
  const View from = ViewOf(spec, in.shape());
  const View to{.dims = from.dims, .strides = DenseStrides(from.dims), .offset = 0};
  DispatchByLayout(in.dtype(), [&]<typename T>() {
    CopyView<T>(c, in.flat<T>().data(), from, out->mutable_flat<T>().data(), to);
  });
  return OkStatus();
}

// Writes `value` into the slice of `dest`; one element stands for all. `value` must have the shape
// of the slice otherwise.
Status WriteSlice(const KernelContext& c, const StridedSliceSpec& spec, const Tensor& value,
                  Tensor& dest) {
  const Shape shape = spec.shape.ToShape();
  const bool is_scalar = value.rank() == 0;
  if (!is_scalar && !(value.shape() == shape)) {
    return InvalidArgument("a value of shape {} does not fit a slice of shape {}",
                           value.shape().ToString(), shape.ToString());
  }
  const View to = ViewOf(spec, dest.shape());
  View from{.dims = to.dims, .strides = DenseStrides(to.dims), .offset = 0};
  if (is_scalar) std::fill(from.strides.begin(), from.strides.end(), 0);
  DispatchByLayout(dest.dtype(), [&]<typename T>() {
    CopyView<T>(c, value.flat<T>().data(), from, dest.mutable_flat<T>().data(), to);
  });
  return OkStatus();
}

// Zeros of the shape in input 0, with the slice set to input 4.
Status StridedSliceGrad(const SliceMasks& masks, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const Shape shape, ReadShape(c.input(0), "shape"));
  RHEO_ASSIGN_OR_RETURN(const StridedSliceSpec spec, ReadSpec(c, shape, 1, masks));
  const Tensor& grad = c.input(4);
  if (!(PartialShape(grad.shape()) == spec.shape)) {
    return InvalidArgument("shape of dy was {} instead of {}", grad.shape().ToString(),
                           spec.shape.ToString());
  }
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, shape));
  DispatchByLayout(grad.dtype(), [&]<typename T>() {
    const std::span<T> all = out->mutable_flat<T>();
    std::fill(all.begin(), all.end(), T{});
  });
  return WriteSlice(c, spec, grad, *out);
}

// The assignment to a variable, by reference or resource.
Status StridedSliceAssign(const SliceMasks& masks, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const StoredTensor variable, FindStored(c, 0));
  {
    StoredLock lock({&variable});
    RHEO_RETURN_IF_ERROR(variable.RequireInitialized());
    if (variable.tensor->dtype() != c.input(4).dtype()) {
      return InvalidArgument("l-value dtype {} does not match r-value dtype {}",
                             DTypeName(variable.tensor->dtype()), DTypeName(c.input(4).dtype()));
    }
    RHEO_ASSIGN_OR_RETURN(const StridedSliceSpec spec,
                          ReadSpec(c, variable.tensor->shape(), 1, masks));
    RHEO_RETURN_IF_ERROR(MakeUnique(c, *variable.tensor));
    RHEO_RETURN_IF_ERROR(WriteSlice(c, spec, c.input(4), *variable.tensor));
  }
  if (c.num_outputs() > 0) c.set_output_ref(0, c.shared_input_ref(0));
  return OkStatus();
}

Status TensorStridedSliceUpdate(const SliceMasks& masks, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const StridedSliceSpec spec, ReadSpec(c, c.input(0).shape(), 1, masks));
  Tensor result = c.TakeInput(0);
  RHEO_RETURN_IF_ERROR(MakeUnique(c, result));
  RHEO_RETURN_IF_ERROR(WriteSlice(c, spec, c.input(4), result));
  c.set_output(0, std::move(result));
  return OkStatus();
}

}  // namespace

void AddStridedSliceKernels(TableKernels& kernels) {
  kernels.Add("StridedSlice", AttrKernel(&Masks, &StridedSlice));
  kernels.Add("StridedSliceGrad", AttrKernel(&Masks, &StridedSliceGrad));
  kernels.Add("StridedSliceAssign", AttrKernel(&Masks, &StridedSliceAssign));
  kernels.Add("ResourceStridedSliceAssign", AttrKernel(&Masks, &StridedSliceAssign));
  kernels.Add("TensorStridedSliceUpdate", AttrKernel(&Masks, &TensorStridedSliceUpdate));
}

}  // namespace rheo::ops
