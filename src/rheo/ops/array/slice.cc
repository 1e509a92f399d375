// Slice: a box of a tensor.
#include "rheo/ops/array/kernels.h"
#include "rheo/ops/common/integers.h"
#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/view.h"

namespace rheo::ops {
namespace {

using kernel::KernelContext;

// The sizes of the box that begins at `begin`; a size of -1 reaches to the end of its dimension.
StatusOr<Shape> BoxShape(const Shape& shape, const Dims& begin, const Dims& size) {
  if (static_cast<int>(begin.size()) != shape.rank() || begin.size() != size.size()) {
    return InvalidArgument(
        "Expected begin and size arguments to be 1-D tensors of size {}, but got "
        "sizes {} and {} instead.",
        shape.rank(), begin.size(), size.size());
  }
  Shape box;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t limit = shape.dim(i);
    const int64_t b = begin[static_cast<size_t>(i)];
    int64_t s = size[static_cast<size_t>(i)];
    if (b < 0 || b > limit) {
      return InvalidArgument("Expected begin[{}] in [0, {}], but got {}", i, limit, b);
    }
    if (s == -1) s = limit - b;
    if (s < 0 || s > limit - b) {
      return InvalidArgument("Expected size[{}] in [0, {}], but got {}", i, limit - b, s);
    }
    box.AddDim(s);
  }
  return box;
}

Status Slice(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const Dims begin, ReadIntVector(c.input(1), "begin"));
  RHEO_ASSIGN_OR_RETURN(const Dims size, ReadIntVector(c.input(2), "size"));
  const Tensor& in = c.input(0);
  RHEO_ASSIGN_OR_RETURN(Shape box, BoxShape(in.shape(), begin, size));
  if (box == in.shape()) {
    c.set_output(0, c.TakeInput(0));
    return OkStatus();
  }
  Shape rows = in.shape();
  rows.set_dim(0, box.dim(0));
  if (box == rows) {
    c.set_output(0, in.Rows(begin[0], begin[0] + box.dim(0)));
    return OkStatus();
  }
  View view = DenseView(in.shape());
  for (size_t i = 0; i < begin.size(); ++i) view.offset += begin[i] * view.strides[i];
  view.dims.assign(box.dims().begin(), box.dims().end());
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, std::move(box)));
  DispatchByLayout(in.dtype(), [&]<typename T>() {
    CopyView<T>(c, in.flat<T>().data(), view, out->mutable_flat<T>().data(),
                DenseView(out->shape()));
  });
  return OkStatus();
}

}  // namespace

void AddSliceKernels(TableKernels& kernels) {
  kernels.Add("Slice", kernel::FunctionKernel(&Slice));
}

}  // namespace rheo::ops
