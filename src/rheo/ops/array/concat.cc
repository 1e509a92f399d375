// Concat, ConcatV2, ConcatOffset and Pack.
#include "rheo/ops/array/dims.h"
#include "rheo/ops/array/kernels.h"
#include "rheo/ops/common/integers.h"
#include "rheo/ops/common/kernel_factories.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;

// Writes inputs [first, last) side by side: each is `outer` rows, and row i of the output is row i
// of each input in turn.
Status JoinRows(KernelContext& c, int first, int last, int64_t outer, Shape shape) {
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, std::move(shape)));
  const int64_t total = out->num_elements();
  if (total == 0) return OkStatus();
  const int64_t out_row = total / outer;
  DispatchByLayout(out->dtype(), [&]<typename T>() {
    T* const to = out->mutable_flat<T>().data();
    c.ParallelFor(outer, 1 + out_row, [&](int64_t begin, int64_t end) {
      T* cell = to + begin * out_row;
      for (int64_t row = begin; row < end; ++row) {
        for (int i = first; i < last; ++i) {
          const std::span<const T> values = c.input(i).flat<T>();
          const int64_t width = static_cast<int64_t>(values.size()) / outer;
          cell = std::copy_n(values.data() + row * width, width, cell);
        }
      }
    });
  });
  return OkStatus();
}

// Concatenates inputs [first, last) along the axis in input `axis_input`.
Status ConcatInputs(KernelContext& c, int first, int last, int axis_input) {
  RHEO_ASSIGN_OR_RETURN(const int64_t axis_value, ReadIntScalar(c.input(axis_input), "axis"));
  Shape shape = c.input(first).shape();
  RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(axis_value, shape.rank()));
  int64_t size = 0;
  for (int i = first; i < last; ++i) {
    const Shape& other = c.input(i).shape();
    Shape expected = shape;
    if (other.rank() == shape.rank()) expected.set_dim(axis, other.dim(axis));
    if (!(other == expected)) {
      return InvalidArgument(
          "ConcatOp : Dimension mismatch: shape[0] = {} and shape[{}] = {} may differ only in "
          "dimension {}",
          shape.ToString(), i - first, other.ToString(), axis);
    }
    size += other.dim(axis);
  }
  shape.set_dim(axis, size);
  RHEO_ASSIGN_OR_RETURN(shape, Shape::Create(shape.dims()));
  const int64_t outer = Product(shape.dims().subspan(0, static_cast<size_t>(axis)));
  return JoinRows(c, first, last, outer, std::move(shape));
}

Status Concat(KernelContext& c) { return ConcatInputs(c, 1, c.num_inputs(), 0); }

Status ConcatV2(KernelContext& c) {
  return ConcatInputs(c, 0, c.num_inputs() - 1, c.num_inputs() - 1);
}

// Where each of the shapes in inputs 1… begins in their concatenation.
template <typename T>
Status ConcatOffset(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const int64_t dim, ReadIntScalar(c.input(0), "concat_dim"));
  const int64_t rank = c.input(1).num_elements();
  RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(dim, static_cast<int>(rank)));
  const std::span<const T> first = c.input(1).flat<T>();
  T offset = 0;
  for (int i = 1; i < c.num_inputs(); ++i) {
    const std::span<const T> sizes = c.input(i).flat<T>();
    if (c.input(i).rank() != 1 || c.input(i).num_elements() != rank) {
      return InvalidArgument("input {} should contain {} elements, but has shape {}", i, rank,
                             c.input(i).shape().ToString());
    }
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (static_cast<int>(d) != axis && sizes[d] != first[d]) {
        return InvalidArgument("shapes 0 and {} differ in dimension {}: {} and {}", i - 1, d,
                               first[d], sizes[d]);
      }
    }
    RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(i - 1, Shape{rank}));
    std::ranges::fill(out->mutable_flat<T>(), T(0));
    out->mutable_flat<T>()[static_cast<size_t>(axis)] = offset;
    offset = static_cast<T>(offset + sizes[static_cast<size_t>(axis)]);
  }
  return OkStatus();
}

Status Pack(const int64_t& axis_attr, KernelContext& c) {
  Shape shape = c.input(0).shape();
  for (int i = 1; i < c.num_inputs(); ++i) {
    if (!(c.input(i).shape() == shape)) {
      return InvalidArgument(
          "Shapes of all inputs must match: values[0].shape = {} != "
          "values[{}].shape = {}",
          shape.ToString(), i, c.input(i).shape().ToString());
    }
  }
  RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(axis_attr, shape.rank() + 1));
  const int64_t outer = Product(shape.dims().subspan(0, static_cast<size_t>(axis)));
  shape.InsertDim(axis, c.num_inputs());
  RHEO_ASSIGN_OR_RETURN(shape, Shape::Create(shape.dims()));
  if (c.num_inputs() == 1) {
    c.set_output(0, c.TakeInput(0).Reshaped(std::move(shape)));
    return OkStatus();
  }
  return JoinRows(c, 0, c.num_inputs(), outer, std::move(shape));
}

}  // namespace

void AddConcatKernels(TableKernels& kernels) {
  kernels.Add("Concat", FunctionKernel(&Concat));
  kernels.Add("ConcatV2", FunctionKernel(&ConcatV2));
  kernels.Add("ConcatOffset", ByType<IndexTypes>("shape_type", []<typename T>() {
                return FunctionKernel(&ConcatOffset<T>);
              }));
  kernels.Add("Pack", AttrKernel(&AxisAttr, &Pack));
}

}  // namespace rheo::ops
