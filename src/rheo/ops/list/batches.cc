#include "rheo/ops/list/batches.h"

#include <utility>

#include "rheo/ops/common/rows.h"

namespace rheo::ops {

namespace {

constexpr int64_t kMaxElements = int64_t{1} << 24;

}  // namespace

Status CheckNumElements(int64_t n) {
  if (n <= kMaxElements) return OkStatus();
  return ResourceExhausted("{} elements are more than the {} that a list of tensors may have", n,
                           kMaxElements);
}

std::vector<Tensor> RowsOf(const Tensor& value) {
  std::vector<Tensor> rows;
  const Shape shape = WithoutFirst(value.shape());
  for (int64_t i = 0; i < value.dim(0); ++i) rows.push_back(value.Rows(i, i + 1).Reshaped(shape));
  return rows;
}

StatusOr<std::vector<Tensor>> PiecesOf(const Tensor& value, std::span<const int64_t> lengths) {
  std::vector<Tensor> pieces;
  const int64_t total = value.dim(0);
  int64_t begin = 0;
  for (const int64_t length : lengths) {
    if (length < 0) return InvalidArgument("Invalid value in lengths: {}", length);
    if (length > total - begin) {
      return InvalidArgument("Attempting to slice [{}, {}] from tensor with length {}", begin,
                             static_cast<uint64_t>(begin) + static_cast<uint64_t>(length), total);
    }
    pieces.push_back(value.Rows(begin, begin + length));
    begin += length;
  }
  if (begin < total) {
    return InvalidArgument("Unused values in tensor. Length of tensor: {} Values used: {}", total,
                           begin);
  }
  return pieces;
}

Status SetConcatenated(kernel::KernelContext& context, DType dtype, const Shape& row_shape,
                       const std::vector<Tensor>& values) {
  int64_t rows = 0;
  for (const Tensor& value : values) rows += value.dim(0);
  RHEO_ASSIGN_OR_RETURN(Tensor all, context.AllocateTemp(dtype, WithFirst(rows, row_shape)));
  RHEO_ASSIGN_OR_RETURN(
      Tensor lengths,
      context.AllocateTemp(DType::kInt64, Shape{static_cast<int64_t>(values.size())}));
  int64_t at = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    CopyElements(values[i], 0, all, at, values[i].num_elements());
    at += values[i].num_elements();
    lengths.mutable_flat<int64_t>()[i] = values[i].dim(0);
  }
  context.set_output(0, std::move(all));
  context.set_output(1, std::move(lengths));
  return OkStatus();
}

}  // namespace rheo::ops
