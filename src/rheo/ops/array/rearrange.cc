// Ops that put elements in another order or repeat them: Transpose, Reverse, Roll, Tile.
#include "rheo/ops/array/kernels.h"
#include "rheo/ops/common/integers.h"
#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/view.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;

// Output 0 as a copy of `view` of `in`, densely in row-major order.
Status CopyViewToOutput(KernelContext& c, const Tensor& in, const View& view, Shape shape) {
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, std::move(shape)));
  DispatchByLayout(in.dtype(), [&]<typename T>() {
    CopyView<T>(c, in.flat<T>().data(), view, out->mutable_flat<T>().data(),
                DenseView(out->shape()));
  });
  return OkStatus();
}

StatusOr<std::vector<int>> ReadPermutation(const Tensor& tensor, int rank) {
  RHEO_ASSIGN_OR_RETURN(const Dims axes, ReadIntVector(tensor, "perm"));
  if (static_cast<int>(axes.size()) != rank) {
    return InvalidArgument(
        "transpose expects a vector of size {}. But input(1) is a vector of "
        "size {}",
        rank, axes.size());
  }
  std::vector<int> perm;
  std::vector<bool> seen(axes.size());
  for (const int64_t value : axes) {
    RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(value, rank));
    if (seen[static_cast<size_t>(axis)]) {
      return InvalidArgument("axis {} is missing or repeated in perm {}", axis, tensor.ToString());
    }
    seen[static_cast<size_t>(axis)] = true;
    perm.push_back(axis);
  }
  return perm;
}

// True when the axes of more than one element stay in order, so that no element moves.
bool MovesNothing(const Shape& shape, const std::vector<int>& perm) {
  int last = -1;
  for (const int axis : perm) {
    if (shape.dim(axis) == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

Status Transpose(KernelContext& c) {
  const Tensor& in = c.input(0);
  RHEO_ASSIGN_OR_RETURN(const std::vector<int> perm, ReadPermutation(c.input(1), in.rank()));
  const View view = Permute(DenseView(in.shape()), perm);
  Shape shape{std::span<const int64_t>(view.dims)};
  if (MovesNothing(in.shape(), perm)) {
    c.set_output(0, c.TakeInput(0).Reshaped(std::move(shape)));
    return OkStatus();
  }
  return CopyViewToOutput(c, in, view, std::move(shape));
}

template <typename T>
void Conjugate(const Tensor& in, Tensor& out) {
  const std::span<const T> from = in.flat<T>();
  const std::span<T> to = out.mutable_flat<T>();
  for (size_t i = 0; i < from.size(); ++i) to[i] = std::conj(from[i]);
}

Status ConjugateTranspose(KernelContext& c) {
  RHEO_RETURN_IF_ERROR(Transpose(c));
  const Tensor transposed = c.output(0);
  if (!IsComplex(transposed.dtype())) return OkStatus();
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, transposed.shape()));
  if (transposed.dtype() == DType::kComplex64) {
    Conjugate<std::complex<float>>(transposed, *out);
  } else {
    Conjugate<std::complex<double>>(transposed, *out);
  }
  return OkStatus();
}

// Input 0 with the axes marked in `reversed` running backwards.
Status ReverseAxes(KernelContext& c, const std::vector<bool>& reversed) {
  const Tensor& in = c.input(0);
  View view = DenseView(in.shape());
  for (size_t i = 0; i < reversed.size(); ++i) {
    if (!reversed[i] || view.dims[i] == 0) continue;
    view.offset += (view.dims[i] - 1) * view.strides[i];
    view.strides[i] = -view.strides[i];
  }
  return CopyViewToOutput(c, in, view, in.shape());
}

Status ReverseV2(KernelContext& c) {
  const int rank = c.input(0).rank();
  RHEO_ASSIGN_OR_RETURN(const Dims axes, ReadIntVector(c.input(1), "axis"));
  std::vector<bool> reversed(static_cast<size_t>(rank));
  for (const int64_t value : axes) {
    RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(value, rank));
    if (reversed[static_cast<size_t>(axis)]) {
      return InvalidArgument("axis {} specified more than once.", axis);
    }
    reversed[static_cast<size_t>(axis)] = true;
  }
  return ReverseAxes(c, reversed);
}

Status Reverse(KernelContext& c) {
  const std::span<const bool> dims = c.input(1).flat<bool>();
  if (c.input(1).rank() != 1 || static_cast<int>(dims.size()) != c.input(0).rank()) {
    return InvalidArgument("dims must have one element for each of {} dimensions, but has shape {}",
                           c.input(0).rank(), c.input(1).shape().ToString());
  }
  return ReverseAxes(c, std::vector<bool>(dims.begin(), dims.end()));
}

Status Tile(KernelContext& c) {
  const Tensor& in = c.input(0);
  RHEO_ASSIGN_OR_RETURN(const Dims multiples, ReadIntVector(c.input(1), "multiples"));
  if (static_cast<int>(multiples.size()) != in.rank()) {
    return InvalidArgument(
        "Expected multiples argument to be a vector of length {} but got length "
        "{}",
        in.rank(), multiples.size());
  }
  // Each axis becomes two: how often (of stride 0), and the axis itself.
  const View dense = DenseView(in.shape());
  View view;
  Dims sizes;
  for (size_t i = 0; i < multiples.size(); ++i) {
    if (multiples[i] < 0) {
      return InvalidArgument("Expected multiples[{}] >= 0, but got {}", i, multiples[i]);
    }
    for (const auto& [dim, stride] :
         {std::pair{multiples[i], int64_t{0}}, std::pair{dense.dims[i], dense.strides[i]}}) {
      view.dims.push_back(dim);
      view.strides.push_back(stride);
    }
    int64_t size = 0;
    if (__builtin_mul_overflow(multiples[i], dense.dims[i], &size)) {
      return InvalidArgument("multiples[{}] = {} makes the result too large", i, multiples[i]);
    }
    sizes.push_back(size);
  }
  RHEO_ASSIGN_OR_RETURN(Shape shape, Shape::Create(sizes));
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, std::move(shape)));
  const View out_view{.dims = view.dims, .strides = DenseStrides(view.dims), .offset = 0};
  DispatchByLayout(in.dtype(), [&]<typename T>() {
    CopyView<T>(c, in.flat<T>().data(), view, out->mutable_flat<T>().data(), out_view);
  });
  return OkStatus();
}

// How far each axis of `rank` rolls forward, in [0, size); repeated axes add up.
StatusOr<Dims> ReadShifts(KernelContext& c) {
  const Tensor& in = c.input(0);
  RHEO_ASSIGN_OR_RETURN(const Dims shifts, ReadIntegers(c.input(1), "shift"));
  RHEO_ASSIGN_OR_RETURN(const Dims axes, ReadIntegers(c.input(2), "axis"));
  if (in.rank() < 1) return InvalidArgument("input must be 1-D or higher");
  if (shifts.size() != axes.size() || c.input(1).rank() > 1 || c.input(2).rank() > 1) {
    return InvalidArgument("shift and axis must have the same size, but have shapes {} and {}",
                           c.input(1).shape().ToString(), c.input(2).shape().ToString());
  }
  Dims result(static_cast<size_t>(in.rank()), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(axes[i], in.rank()));
    const int64_t size = std::max<int64_t>(in.dim(axis), 1);
    int64_t& shift = result[static_cast<size_t>(axis)];
    shift = ((shift + shifts[i] % size) % size + size) % size;
  }
  return result;
}

Status Roll(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const Dims shifts, ReadShifts(c));
  const Tensor& in = c.input(0);
  const View dense = DenseView(in.shape());
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, in.shape()));
  if (out->num_elements() == 0) return OkStatus();
  const size_t rank = dense.dims.size();
  // Each axis falls into a part that moves forward and one that wraps around: 2^rank boxes.
  Dims wraps(rank, 0);
  while (true) {
    View from = dense;
    View to = dense;
    for (size_t i = 0; i < rank; ++i) {
      const int64_t stay = dense.dims[i] - shifts[i];
      from.dims[i] = to.dims[i] = wraps[i] != 0 ? shifts[i] : stay;
      from.offset += (wraps[i] != 0 ? stay : 0) * dense.strides[i];
      to.offset += (wraps[i] != 0 ? 0 : shifts[i]) * dense.strides[i];
    }
    DispatchByLayout(in.dtype(), [&]<typename T>() {
      CopyView<T>(c, in.flat<T>().data(), from, out->mutable_flat<T>().data(), to);
    });
    size_t axis = 0;
    while (axis < rank && (shifts[axis] == 0 || wraps[axis] == 1)) wraps[axis++] = 0;
    if (axis == rank) return OkStatus();
    wraps[axis] = 1;
  }
}

template <typename T>
Status InvertPermutation(KernelContext& c) {
  const Tensor& in = c.input(0);
  if (in.rank() != 1) {
    return InvalidArgument("invert_permutation expects a 1D vector, but got shape {}",
                           in.shape().ToString());
  }
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, in.shape()));
  const std::span<const T> from = in.flat<T>();
  const std::span<T> to = out->mutable_flat<T>();
  std::ranges::fill(to, T(-1));
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] < 0 || from[i] >= static_cast<T>(from.size())) {
      return InvalidArgument("{} is not between 0 and {}", from[i], from.size());
    }
    T& place = to[static_cast<size_t>(from[i])];
    if (place != -1) return InvalidArgument("{} is duplicated in the input.", from[i]);
    place = static_cast<T>(i);
  }
  return OkStatus();
}

}  // namespace

void AddRearrangeKernels(TableKernels& kernels) {
  kernels.Add("Transpose", FunctionKernel(&Transpose));
  kernels.Add("ConjugateTranspose", FunctionKernel(&ConjugateTranspose));
  kernels.Add("ReverseV2", FunctionKernel(&ReverseV2));
  kernels.Add("Reverse", FunctionKernel(&Reverse));
  kernels.Add("Tile", FunctionKernel(&Tile));
  kernels.Add("Roll", FunctionKernel(&Roll));
  kernels.Add("InvertPermutation", ByType<IndexTypes>("T", []<typename T>() {
                return FunctionKernel(&InvertPermutation<T>);
              }));
}

}  // namespace rheo::ops
