// Split, SplitV and Unpack. Pieces along the first axis share the input's buffer.
#include "rheo/ops/array/dims.h"
#include "rheo/ops/array/kernels.h"
#include "rheo/ops/common/integers.h"
#include "rheo/ops/common/kernel_factories.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;

// Output `i`: the part [begin, begin + size) of `axis`, copied.
Status CopyPiece(KernelContext& c, const Tensor& value, int axis, int64_t begin, int64_t size,
                 int i) {
  Shape shape = value.shape();
  int64_t outer = 1;
  int64_t inner = 1;
  for (int d = 0; d < axis; ++d) outer *= shape.dim(d);
  for (int d = axis + 1; d < shape.rank(); ++d) inner *= shape.dim(d);
  const int64_t in_row = shape.dim(axis) * inner;
  shape.set_dim(axis, size);
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(i, std::move(shape)));
  DispatchByLayout(value.dtype(), [&]<typename T>() {
    const T* const from = value.flat<T>().data() + begin * inner;
    T* const to = out->mutable_flat<T>().data();
    const int64_t out_row = size * inner;
    c.ParallelFor(outer, 1 + out_row, [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row) {
        std::copy_n(from + row * in_row, out_row, to + row * out_row);
      }
    });
  });
  return OkStatus();
}

// Cuts `value` along `axis` into pieces of `sizes`, which add up to its size there.
Status CutInto(KernelContext& c, const Tensor& value, int axis, const Dims& sizes) {
  int64_t begin = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int output = static_cast<int>(i);
    if (axis == 0) {
      c.set_output(output, value.Rows(begin, begin + sizes[i]));
    } else {
      RHEO_RETURN_IF_ERROR(CopyPiece(c, value, axis, begin, sizes[i], output));
    }
    begin += sizes[i];
  }
  return OkStatus();
}

Status Split(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const int64_t dim, ReadIntScalar(c.input(0), "split_dim"));
  const Tensor& value = c.input(1);
  RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(dim, value.rank()));
  const int64_t parts = c.num_outputs();
  if (value.dim(axis) % parts != 0) {
    return InvalidArgument(
        "Number of ways to split should evenly divide the split dimension, but "
        "got split_dim {} (size = {}) and num_split {}",
        axis, value.dim(axis), parts);
  }
  return CutInto(c, value, axis, Dims(static_cast<size_t>(parts), value.dim(axis) / parts));
}

// Replaces the one size of -1, if there is one, so that the sizes add up to `total`.
Status CompleteSizes(Dims& sizes, int64_t total) {
  int64_t* unknown = nullptr;
  int64_t sum = 0;
  for (int64_t& size : sizes) {
    if (size == -1 && unknown == nullptr) {
      unknown = &size;
    } else if (size < 0) {
      return InvalidArgument("size_splits may hold one -1 and no other negative size, but has {}",
                             size);
    } else {
      sum += size;
    }
  }
  if (unknown != nullptr && sum <= total) {
    *unknown = total - sum;
  } else if (unknown != nullptr || sum != total) {
    return InvalidArgument("size_splits add up to {}, but the split dimension has size {}", sum,
                           total);
  }
  return OkStatus();
}

Status SplitV(KernelContext& c) {
  const Tensor& value = c.input(0);
  RHEO_ASSIGN_OR_RETURN(Dims sizes, ReadIntVector(c.input(1), "size_splits"));
  RHEO_ASSIGN_OR_RETURN(const int64_t dim, ReadIntScalar(c.input(2), "split_dim"));
  RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(dim, value.rank()));
  if (static_cast<int>(sizes.size()) != c.num_outputs()) {
    return InvalidArgument("size_splits has {} elements, but num_split is {}", sizes.size(),
                           c.num_outputs());
  }
  RHEO_RETURN_IF_ERROR(CompleteSizes(sizes, value.dim(axis)));
  return CutInto(c, value, axis, sizes);
}

Status Unpack(const int64_t& axis_attr, KernelContext& c) {
  const Tensor& value = c.input(0);
  RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(axis_attr, value.rank()));
  if (value.dim(axis) != c.num_outputs()) {
    return InvalidArgument("Input shape axis {} must equal {}, got shape {}", axis, c.num_outputs(),
                           value.shape().ToString());
  }
  RHEO_RETURN_IF_ERROR(
      CutInto(c, value, axis, Dims(static_cast<size_t>(c.num_outputs()), int64_t{1})));
  Shape shape = value.shape();
  shape.RemoveDim(axis);
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, c.output(i).Reshaped(shape));
  return OkStatus();
}

}  // namespace

void AddSplitKernels(TableKernels& kernels) {
  kernels.Add("Split", FunctionKernel(&Split));
  kernels.Add("SplitV", FunctionKernel(&SplitV));
  kernels.Add("Unpack", AttrKernel(&AxisAttr, &Unpack));
}

}  // namespace rheo::ops
