#include "rheo/ops/common/gather.h"

#include <algorithm>

#include "rheo/ops/common/type_lists.h"

namespace rheo::ops {
namespace {

using kernel::KernelContext;

// Calls f with the elements of an integer tensor, as a span of their type.
template <typename F>
Status WithIndices(const Tensor& indices, F&& f) {
  switch (indices.dtype()) {
    case DType::kInt16:
      return f(indices.flat<int16_t>());
    case DType::kUint16:
      return f(indices.flat<uint16_t>());
    case DType::kInt32:
      return f(indices.flat<int32_t>());
    case DType::kInt64:
      return f(indices.flat<int64_t>());
    default:
      return InvalidArgument("indices must be integers, but are {}", DTypeName(indices.dtype()));
  }
}

template <typename Index>
Status CheckRange(const Tensor& indices, std::span<const Index> values, int64_t limit) {
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t value = static_cast<int64_t>(values[i]);
    if (value < 0 || value >= limit) {
      return InvalidArgument("indices{} = {} is not in [0, {})",
                             PositionText(indices.shape(), static_cast<int64_t>(i)), value, limit);
    }
  }
  return OkStatus();
}

int64_t ProductOf(const Shape& shape, int begin, int end) {
  int64_t n = 1;
  for (int i = begin; i < end; ++i) n *= shape.dim(i);
  return n;
}

}  // namespace

std::string PositionText(const Shape& shape, int64_t index) {
  if (shape.rank() == 0) return "";
  std::string text;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    const int64_t size = std::max<int64_t>(shape.dim(i), 1);
    text.insert(0, std::to_string(index % size) + (text.empty() ? "" : ","));
    index /= size;
  }
  return '[' + text + ']';
}

Status CheckBatchDims(const Shape& params, const Shape& indices, int64_t batch_dims) {
  if (batch_dims < 0 || batch_dims > indices.rank() || batch_dims > params.rank()) {
    return InvalidArgument(
        "batch_dims {} is out of range for params of shape {} and indices of "
        "shape {}",
        batch_dims, params.ToString(), indices.ToString());
  }
  for (int i = 0; i < batch_dims; ++i) {
    if (params.dim(i) != indices.dim(i)) {
      return InvalidArgument("params.shape[{}]: {} should be equal to indices.shape[{}]: {}", i,
                             params.dim(i), i, indices.dim(i));
    }
  }
  return OkStatus();
}

StatusOr<BadIndices> ReadBadIndices(const kernel::KernelInit& init) {
  const std::string policy = init.attrs.GetOr<std::string>("bad_indices_policy", "");
  if (policy == "IGNORE") return BadIndices::kIgnore;
  if (policy.empty() || policy == "DEFAULT" || policy == "ERROR") return BadIndices::kError;
  return InvalidArgument("Bad indices policy '{}' is unknown", policy);
}

Status GatherAlong(KernelContext& context, const Tensor& params, const Tensor& indices, int axis,
                   int batch_dims) {
  const Shape& p = params.shape();
  Shape shape;
  for (int i = 0; i < axis; ++i) shape.AddDim(p.dim(i));
  for (int i = batch_dims; i < indices.rank(); ++i) shape.AddDim(indices.dim(i));
  for (int i = axis + 1; i < p.rank(); ++i) shape.AddDim(p.dim(i));
  RHEO_ASSIGN_OR_RETURN(shape, Shape::Create(shape.dims()));
  const int64_t batch = ProductOf(p, 0, batch_dims);
  const int64_t outer = ProductOf(p, batch_dims, axis);
  const int64_t limit = p.dim(axis);
  const int64_t inner = ProductOf(p, axis + 1, p.rank());
  const int64_t count = ProductOf(indices.shape(), batch_dims, indices.rank());
  return WithIndices(indices, [&]<typename Index>(std::span<const Index> values) -> Status {
    RHEO_RETURN_IF_ERROR(CheckRange(indices, values, limit));
    RHEO_ASSIGN_OR_RETURN(Tensor * out, context.AllocateOutput(0, std::move(shape)));
    if (out->num_elements() == 0) return OkStatus();
    DispatchByLayout(params.dtype(), [&]<typename T>() {
      const T* const from = params.flat<T>().data();
      T* const to = out->mutable_flat<T>().data();
      context.ParallelFor(batch * outer * count, 2 + inner, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          const int64_t slab = row / count;  // of batch and outer
          const int64_t b = slab / outer;
          const auto index =
              static_cast<int64_t>(values[static_cast<size_t>(b * count + row % count)]);
          std::copy_n(from + (slab * limit + index) * inner, inner, to + row * inner);
        }
      });
    });
    return OkStatus();
  });
}

StatusOr<std::vector<int64_t>> SliceNumbers(const Tensor& indices, const Shape& shape,
                                            BadIndices bad_indices) {
  if (indices.rank() == 0) return InvalidArgument("indices must be at least a vector");
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth > shape.rank()) {
    return InvalidArgument(
        "index innermost dimension length must be <= params rank; saw: {} vs. {}", depth,
        shape.rank());
  }
  std::vector<int64_t> numbers(
      static_cast<size_t>(ProductOf(indices.shape(), 0, indices.rank() - 1)), 0);
  RHEO_RETURN_IF_ERROR(WithIndices(indices, [&](auto values) -> Status {
    for (size_t i = 0; i < numbers.size(); ++i) {
      for (int64_t d = 0; d < depth; ++d) {
        const auto index =
            static_cast<int64_t>(values[i * static_cast<size_t>(depth) + static_cast<size_t>(d)]);
        const int64_t size = shape.dim(static_cast<int>(d));
        if (index >= 0 && index < size) {
          numbers[i] = numbers[i] * size + index;
          continue;
        }
        if (bad_indices == BadIndices::kError) {
          return InvalidArgument("indices{} = {} does not index into shape {}",
                                 PositionText(indices.shape(), static_cast<int64_t>(i) * depth + d),
                                 index, shape.ToString());
        }
        numbers[i] = -1;
        break;
      }
    }
    return OkStatus();
  }));
  return numbers;
}

Status GatherSlices(KernelContext& context, const Tensor& params, const Tensor& indices,
                    BadIndices bad_indices) {
  RHEO_ASSIGN_OR_RETURN(const std::vector<int64_t> numbers,
                        SliceNumbers(indices, params.shape(), bad_indices));
  const int last = indices.rank() - 1;
  const int depth = static_cast<int>(indices.dim(last));
  Shape shape;
  for (int i = 0; i < last; ++i) shape.AddDim(indices.dim(i));
  for (int i = depth; i < params.rank(); ++i) shape.AddDim(params.dim(i));
  RHEO_ASSIGN_OR_RETURN(shape, Shape::Create(shape.dims()));
  RHEO_ASSIGN_OR_RETURN(Tensor * out, context.AllocateOutput(0, std::move(shape)));
  const int64_t inner = ProductOf(params.shape(), depth, params.rank());
  DispatchByLayout(params.dtype(), [&]<typename T>() {
    const T* const from = params.flat<T>().data();
    T* const to = out->mutable_flat<T>().data();
    context.ParallelFor(static_cast<int64_t>(numbers.size()), 2 + inner,
                        [&](int64_t begin, int64_t end) {
                          for (int64_t i = begin; i < end; ++i) {
                            const int64_t number = numbers[static_cast<size_t>(i)];
                            if (number < 0) {
                              std::fill_n(to + i * inner, inner, T{});
                            } else {
                              std::copy_n(from + number * inner, inner, to + i * inner);
                            }
                          }
                        });
  });
  return OkStatus();
}

}  // namespace rheo::ops
