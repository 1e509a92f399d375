// Ops about the shapes of tensors: reading them and changing them without moving elements.
#include <limits>

#include "rheo/ops/array/kernels.h"
#include "rheo/ops/common/integers.h"
#include "rheo/ops/common/kernel_factories.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;
using kernel::KernelInit;

template <typename T>
Status CheckFits(int64_t size) {
  if (size > std::numeric_limits<T>::max()) {
    return InvalidArgument("size {} does not fit {}", size, DTypeName(kDTypeOf<T>));
  }
  return OkStatus();
}

template <typename T>
Status ShapeN(KernelContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    const Shape& shape = c.input(i).shape();
    RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(i, Shape{shape.rank()}));
    for (int d = 0; d < shape.rank(); ++d) {
      RHEO_RETURN_IF_ERROR(CheckFits<T>(shape.dim(d)));
      out->mutable_flat<T>()[static_cast<size_t>(d)] = static_cast<T>(shape.dim(d));
    }
  }
  return OkStatus();
}

template <typename T>
Status Size(KernelContext& c) {
  const int64_t size = c.input(0).shape().num_elements();
  RHEO_RETURN_IF_ERROR(CheckFits<T>(size));
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, Shape{}));
  out->mutable_flat<T>()[0] = static_cast<T>(size);
  return OkStatus();
}

Status Rank(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, Shape{}));
  out->mutable_flat<int32_t>()[0] = c.input(0).rank();
  return OkStatus();
}

void SetReshaped(KernelContext& c, Shape shape) {
  c.set_output(0, c.TakeInput(0).Reshaped(std::move(shape)));
}

// `sizes` with its -1, if there is one, replaced by what makes `num_elements`.
StatusOr<Shape> ReshapeTarget(Dims sizes, int64_t num_elements) {
  int unknown = -1;
  int64_t known = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      if (unknown >= 0) {
        return InvalidArgument("only one size of a new shape may be -1, but sizes {} and {} are",
                               unknown, i);
      }
      unknown = static_cast<int>(i);
    } else if (sizes[i] < 0) {
      return InvalidArgument("size {} of a new shape is {}, but must be >= 0 or -1", i, sizes[i]);
    } else if (__builtin_mul_overflow(known, sizes[i], &known)) {
      return InvalidArgument("the new shape has too many elements");
    }
  }
  if (unknown >= 0) {
    if (known == 0 && num_elements == 0) {
      return InvalidArgument("a size of -1 cannot be inferred beside a size of 0");
    }
    if (known == 0 || num_elements % known != 0) {
      return InvalidArgument(
          "Input to reshape is a tensor with {} values, but the requested shape "
          "requires a multiple of {}",
          num_elements, known);
    }
    sizes[static_cast<size_t>(unknown)] = num_elements / known;
  } else if (known != num_elements) {
    return InvalidArgument(
        "Input to reshape is a tensor with {} values, but the requested shape has {}", num_elements,
        known);
  }
  return Shape::Create(sizes);
}

Status Reshape(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(Dims sizes, ReadIntVector(c.input(1), "shape"));
  RHEO_ASSIGN_OR_RETURN(Shape shape, ReshapeTarget(std::move(sizes), c.input(0).num_elements()));
  SetReshaped(c, std::move(shape));
  return OkStatus();
}

Status ExpandDims(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const int64_t dim, ReadIntScalar(c.input(1), "dim"));
  Shape shape = c.input(0).shape();
  RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(dim, shape.rank() + 1));
  shape.InsertDim(axis, 1);
  SetReshaped(c, std::move(shape));
  return OkStatus();
}

StatusOr<std::vector<int64_t>> SqueezeDims(const KernelInit& init) {
  return init.attrs.Get<std::vector<int64_t>>("squeeze_dims");
}

Status Squeeze(const std::vector<int64_t>& squeeze_dims, KernelContext& c) {
  const Shape& shape = c.input(0).shape();
  std::vector<bool> removed(static_cast<size_t>(shape.rank()), squeeze_dims.empty());
  for (const int64_t dim : squeeze_dims) {
    RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(dim, shape.rank()));
    if (shape.dim(axis) != 1) {
      return InvalidArgument("cannot squeeze dimension {} of shape {}: its size is not 1", axis,
                             shape.ToString());
    }
    removed[static_cast<size_t>(axis)] = true;
  }
  Shape result;
  for (int i = 0; i < shape.rank(); ++i) {
    if (!removed[static_cast<size_t>(i)] || shape.dim(i) != 1) result.AddDim(shape.dim(i));
  }
  SetReshaped(c, std::move(result));
  return OkStatus();
}

}  // namespace

void AddShapeKernels(TableKernels& kernels) {
  const auto shape =
      ByType<IndexTypes>("out_type", []<typename T>() { return FunctionKernel(&ShapeN<T>); });
  kernels.Add("Shape", shape);
  kernels.Add("ShapeN", shape);
  kernels.Add("Size", ByType<IndexTypes>("out_type",
                                         []<typename T>() { return FunctionKernel(&Size<T>); }));
  kernels.Add("Rank", FunctionKernel(&Rank));
  kernels.Add("Reshape", FunctionKernel(&Reshape));
  kernels.Add("ExpandDims", FunctionKernel(&ExpandDims));
  kernels.Add("Squeeze", AttrKernel(&SqueezeDims, &Squeeze));
}

}  // namespace rheo::ops
