#include "rheo/ops/common/rows.h"

#include <algorithm>
#include <cstring>

#include "rheo/ops/common/type_lists.h"

namespace rheo::ops {
namespace {

using kernel::KernelContext;

bool IsPlain(DType dtype) {
  return dtype != DType::kString && dtype != DType::kResource && dtype != DType::kVariant;
}

// Copies `from`, of dims `dims` from `axis` on, into the corner of a block of `room` dims.
void CopyCorner(const Tensor& from, int64_t from_first, Tensor& to, int64_t to_first,
                const Shape& room, int axis) {
  if (axis == from.rank()) return CopyElements(from, from_first, to, to_first, 1);
  int64_t from_step = 1;
  int64_t to_step = 1;
  for (int i = axis + 1; i < from.rank(); ++i) {
    from_step *= from.dim(i);
    to_step *= room.dim(i);
  }
  if (from_step == to_step) {
    return CopyElements(from, from_first, to, to_first, from.dim(axis) * from_step);
  }
  for (int64_t i = 0; i < from.dim(axis); ++i) {
    CopyCorner(from, from_first + i * from_step, to, to_first + i * to_step, room, axis + 1);
  }
}

}  // namespace

void CopyElements(const Tensor& from, int64_t from_first, Tensor& to, int64_t to_first,
                  int64_t count) {
  if (count == 0) return;
  if (IsPlain(from.dtype())) {
    const size_t size = DTypeSize(from.dtype());
    std::memcpy(static_cast<char*>(to.mutable_data()) + static_cast<size_t>(to_first) * size,
                static_cast<const char*>(from.data()) + static_cast<size_t>(from_first) * size,
                static_cast<size_t>(count) * size);
    return;
  }
  DispatchByLayout(from.dtype(), [&]<typename T>() {
    const auto source =
        from.flat<T>().subspan(static_cast<size_t>(from_first), static_cast<size_t>(count));
    std::ranges::copy(source, to.mutable_flat<T>().begin() + to_first);
  });
}

void FillWithZeros(Tensor& tensor) {
  if (IsPlain(tensor.dtype())) {
    if (tensor.num_bytes() > 0) std::memset(tensor.mutable_data(), 0, tensor.num_bytes());
    return;
  }
  DispatchByLayout(tensor.dtype(),
                   [&]<typename T>() { std::ranges::fill(tensor.mutable_flat<T>(), T()); });
}

StatusOr<Tensor> StackRows(const KernelContext& context, DType dtype, const Shape& shape,
                           std::span<const Tensor> rows) {
  const auto num_rows = static_cast<int64_t>(rows.size());
  RHEO_ASSIGN_OR_RETURN(Tensor batch, context.AllocateTemp(dtype, WithFirst(num_rows, shape)));
  if (!std::ranges::all_of(rows, &Tensor::has_value)) FillWithZeros(batch);
  const int64_t size = shape.num_elements();
  for (int64_t i = 0; i < num_rows; ++i) {
    const Tensor& row = rows[static_cast<size_t>(i)];
    if (row.has_value()) CopyElements(row, 0, batch, i * size, size);
  }
  return batch;
}

StatusOr<Tensor> StackPadded(const KernelContext& context, DType dtype, const Shape& shape,
                             std::span<const Tensor> rows) {
  const auto num_rows = static_cast<int64_t>(rows.size());
  RHEO_ASSIGN_OR_RETURN(Tensor batch, context.AllocateTemp(dtype, WithFirst(num_rows, shape)));
  FillWithZeros(batch);
  const int64_t size = shape.num_elements();
  for (int64_t i = 0; i < num_rows; ++i) {
    const Tensor& row = rows[static_cast<size_t>(i)];
    if (row.num_elements() > 0) CopyCorner(row, 0, batch, i * size, shape, 0);
  }
  return batch;
}

StatusOr<Tensor> CopyRows(const KernelContext& context, const Tensor& batch, int64_t begin,
                          int64_t end) {
  const Shape row_shape = WithoutFirst(batch.shape());
  RHEO_ASSIGN_OR_RETURN(Tensor rows,
                        context.AllocateTemp(batch.dtype(), WithFirst(end - begin, row_shape)));
  const int64_t size = row_shape.num_elements();
  CopyElements(batch, begin * size, rows, 0, (end - begin) * size);
  return rows;
}

StatusOr<Tensor> CopyRow(const KernelContext& context, const Tensor& batch, int64_t row) {
  RHEO_ASSIGN_OR_RETURN(const Tensor rows, CopyRows(context, batch, row, row + 1));
  return rows.Reshaped(WithoutFirst(batch.shape()));
}

Shape WithoutFirst(const Shape& shape) { return Shape(shape.dims().subspan(1)); }

Shape WithFirst(int64_t first, const Shape& shape) {
  Shape result = shape;
  result.InsertDim(0, first);
  return result;
}

}  // namespace rheo::ops
