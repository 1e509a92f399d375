#include "rheo/ops/list/list_shapes.h"

namespace rheo::ops {
namespace {

template <typename T>
Dims DimsOf(const Tensor& tensor) {
  const auto values = tensor.flat<T>();
  return {values.begin(), values.end()};
}

}  // namespace

StatusOr<PartialShape> ReadElementShape(const kernel::KernelContext& context, int i) {
  const Tensor& tensor = context.input(i);
  const Dims dims =
      tensor.dtype() == DType::kInt64 ? DimsOf<int64_t>(tensor) : DimsOf<int32_t>(tensor);
  if (tensor.rank() == 0) {
    if (dims[0] == kUnknownDim) return PartialShape();
    return InvalidArgument(
        "The only valid scalar shape tensor is the fully unknown shape specified as -1.");
  }
  if (tensor.rank() != 1) {
    return InvalidArgument("an element shape must be a vector, but has shape {}",
                           tensor.shape().ToString());
  }
  if (tensor.dim(0) > kMaxRank) {
    return InvalidArgument("an element shape has at most {} dimensions, not {}", kMaxRank,
                           tensor.dim(0));
  }
  Dims known;
  for (const int64_t dim : dims) {
    if (dim < kUnknownDim) return InvalidArgument("an element shape has the dimension {}", dim);
    if (dim != kUnknownDim) known.push_back(dim);
  }
  RHEO_RETURN_IF_ERROR(Shape::Create(known).status());
  return PartialShape(std::span<const int64_t>(dims));
}

StatusOr<PartialShape> MergedElementShape(const kernel::KernelContext& context, int i,
                                          const TensorList& list) {
  RHEO_ASSIGN_OR_RETURN(const PartialShape shape, ReadElementShape(context, i));
  return shape.Merge(list.element_shape);
}

Status CheckListDType(const TensorList& list, DType dtype) {
  if (list.element_dtype == dtype) return OkStatus();
  return InvalidArgument("Invalid data types; op elements {} but list elements {}",
                         DTypeName(dtype), DTypeName(list.element_dtype));
}

}  // namespace rheo::ops
