// Pad, PadV2, MirrorPad and MirrorPadGrad.
#include "rheo/ops/array/kernels.h"
#include "rheo/ops/common/integers.h"
#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/view.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;
using kernel::KernelInit;

// Pairs (before, after), one per axis of `shape`.
StatusOr<Dims> ReadPaddings(const Tensor& paddings, const Shape& shape) {
  if (!(paddings.shape() == Shape{shape.rank(), 2})) {
    return InvalidArgument("paddings must have shape [{},2], but has {}", shape.rank(),
                           paddings.shape().ToString());
  }
  RHEO_ASSIGN_OR_RETURN(Dims values, ReadIntegers(paddings, "paddings"));
  for (const int64_t v : values) {
    if (v < 0) return InvalidArgument("Paddings must be non-negative, but one is {}", v);
  }
  return values;
}

StatusOr<Shape> PaddedShape(const Shape& shape, const Dims& paddings) {
  Dims dims;
  for (size_t i = 0; i < static_cast<size_t>(shape.rank()); ++i) {
    int64_t size = shape.dim(static_cast<int>(i));
    if (__builtin_add_overflow(size, paddings[2 * i], &size) ||
        __builtin_add_overflow(size, paddings[2 * i + 1], &size)) {
      return InvalidArgument("the padded dimension {} is too large", i);
    }
    dims.push_back(size);
  }
  return Shape::Create(dims);
}

// Output 0: input 0 amid copies of `value`, or of zeros when it is null.
Status PadWith(KernelContext& c, const Tensor* value) {
  const Tensor& in = c.input(0);
  RHEO_ASSIGN_OR_RETURN(const Dims paddings, ReadPaddings(c.input(1), in.shape()));
  RHEO_ASSIGN_OR_RETURN(Shape shape, PaddedShape(in.shape(), paddings));
  if (shape == in.shape()) {
    c.set_output(0, c.TakeInput(0));
    return OkStatus();
  }
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, std::move(shape)));
  View inside = DenseView(out->shape());
  for (size_t i = 0; i < inside.dims.size(); ++i) {
    inside.dims[i] = in.dim(static_cast<int>(i));
    inside.offset += paddings[2 * i] * inside.strides[i];
  }
  DispatchByLayout(in.dtype(), [&]<typename T>() {
    const std::span<T> all = out->mutable_flat<T>();
    std::fill(all.begin(), all.end(), value == nullptr ? T{} : value->scalar<T>());
    CopyView<T>(c, in.flat<T>().data(), DenseView(in.shape()), all.data(), inside);
  });
  return OkStatus();
}

Status Pad(KernelContext& c) { return PadWith(c, nullptr); }

Status PadV2(KernelContext& c) {
  const Tensor& value = c.input(2);
  if (value.num_elements() != 1) {
    return InvalidArgument("constant_values must be a scalar. Found: {}", value.shape().ToString());
  }
  return PadWith(c, &value);
}

// ---- Mirrored padding

// 0: REFLECT, the edge is not repeated; 1: SYMMETRIC, it is.
StatusOr<int64_t> MirrorOffset(const KernelInit& init) {
  RHEO_ASSIGN_OR_RETURN(const std::string mode, init.attrs.Get<std::string>("mode"));
  if (mode == "REFLECT") return 0;
  if (mode == "SYMMETRIC") return 1;
  return InvalidArgument("mode must be either REFLECT or SYMMETRIC, not {}", mode);
}

// For each position of each padded axis, how far its source lies from the start of the inner
// tensor, in elements.
using SourceTable = std::vector<Dims>;

StatusOr<SourceTable> MirrorSources(const Shape& inner, const Dims& paddings, int64_t offset) {
  const Dims strides = DenseStrides(inner.dims());
  SourceTable table;
  for (size_t axis = 0; axis < strides.size(); ++axis) {
    const int64_t size = inner.dim(static_cast<int>(axis));
    const int64_t before = paddings[2 * axis];
    const int64_t after = paddings[2 * axis + 1];
    if (before > size - 1 + offset || after > size - 1 + offset) {
      return InvalidArgument("paddings must be {} the dimension size: {}, {} not {} {}",
                             offset == 0 ? "less than" : "no greater than", before, after,
                             offset == 0 ? "less than" : "no greater than", size);
    }
    Dims sources;
    for (int64_t i = -before; i < size + after; ++i) {
      int64_t source = i;
      if (i < 0) source = -i - offset;
      if (i >= size) source = 2 * size - 2 - i + offset;
      sources.push_back(source * strides[axis]);
    }
    table.push_back(std::move(sources));
  }
  return table;
}

// Calls f(row of the padded tensor, where its sources start, offsets of the last axis).
template <typename F>
void ForEachPaddedRow(const SourceTable& table, F&& f) {
  const size_t last = table.size() - 1;
  int64_t rows = 1;
  for (size_t i = 0; i < last; ++i) rows *= static_cast<int64_t>(table[i].size());
  for (int64_t row = 0; row < rows; ++row) {
    int64_t rest = row;
    int64_t base = 0;
    for (size_t i = last; i-- > 0;) {
      const auto size = static_cast<int64_t>(table[i].size());
      base += table[i][static_cast<size_t>(rest % size)];
      rest /= size;
    }
    f(row, base, table[last]);
  }
}

Status MirrorPad(const int64_t& offset, KernelContext& c) {
  const Tensor& in = c.input(0);
  RHEO_ASSIGN_OR_RETURN(const Dims paddings, ReadPaddings(c.input(1), in.shape()));
  if (in.rank() == 0) {
    c.set_output(0, c.TakeInput(0));
    return OkStatus();
  }
  RHEO_ASSIGN_OR_RETURN(const SourceTable table, MirrorSources(in.shape(), paddings, offset));
  RHEO_ASSIGN_OR_RETURN(Shape shape, PaddedShape(in.shape(), paddings));
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, std::move(shape)));
  if (out->num_elements() == 0) return OkStatus();
  DispatchByLayout(in.dtype(), [&]<typename T>() {
    const T* const from = in.flat<T>().data();
    T* to = out->mutable_flat<T>().data();
    ForEachPaddedRow(table, [&](int64_t, int64_t base, const Dims& columns) {
      for (const int64_t column : columns) *to++ = from[base + column];
    });
  });
  return OkStatus();
}

// Adds each padded element to its source.
template <typename T>
Status MirrorPadGrad(const int64_t& offset, KernelContext& c) {
  const Tensor& in = c.input(0);
  RHEO_ASSIGN_OR_RETURN(const Dims paddings, ReadPaddings(c.input(1), in.shape()));
  if (in.rank() == 0) {
    c.set_output(0, c.TakeInput(0));
    return OkStatus();
  }
  Shape inner = in.shape();
  for (int i = 0; i < in.rank(); ++i) {
    const int64_t size =
        in.dim(i) - paddings[2 * static_cast<size_t>(i)] - paddings[2 * static_cast<size_t>(i) + 1];
    if (size < 0) {
      return InvalidArgument("paddings of axis {} are larger than its size {}", i, in.dim(i));
    }
    inner.set_dim(i, size);
  }
  RHEO_ASSIGN_OR_RETURN(const SourceTable table, MirrorSources(inner, paddings, offset));
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, inner));
  const std::span<T> to = out->mutable_flat<T>();
  std::fill(to.begin(), to.end(), T(0));
  if (in.num_elements() == 0) return OkStatus();
  const T* from = in.flat<T>().data();
  ForEachPaddedRow(table, [&](int64_t, int64_t base, const Dims& columns) {
    for (const int64_t column : columns) {
      T& sum = to[static_cast<size_t>(base + column)];
      sum = static_cast<T>(sum + *from++);
    }
  });
  return OkStatus();
}

}  // namespace

void AddPadKernels(TableKernels& kernels) {
  kernels.Add("Pad", FunctionKernel(&Pad));
  kernels.Add("PadV2", FunctionKernel(&PadV2));
  kernels.Add("MirrorPad", AttrKernel(&MirrorOffset, &MirrorPad));
  kernels.Add("MirrorPadGrad", ByType<NumberTypes>("T", []<typename T>() {
                return AttrKernel(&MirrorOffset, &MirrorPadGrad<T>);
              }));
}

}  // namespace rheo::ops
