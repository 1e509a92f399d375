#include "rheo/ops/common/scatter.h"

#include <algorithm>
#include <type_traits>

#include "rheo/ops/common/arithmetic.h"
#include "rheo/ops/common/integers.h"
#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/type_lists.h"

namespace rheo::ops {
namespace {

// Integers wrap around.
template <typename T>
T Combine(ScatterKind kind, const T& a, const T& b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a || b;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return a + b;
  } else {
    switch (kind) {
      case ScatterKind::kAdd:
        return WrapAdd(a, b);
      case ScatterKind::kSub:
        return WrapSub(a, b);
      case ScatterKind::kMul:
        return WrapMul(a, b);
      case ScatterKind::kDiv:
        return TruncatedQuotient(a, b);
      default:
        break;
    }
    if constexpr (!std::is_same_v<T, std::complex<float>> &&
                  !std::is_same_v<T, std::complex<double>>) {
      if (kind == ScatterKind::kMin) return b < a ? b : a;
      if (kind == ScatterKind::kMax) return a < b ? b : a;
    }
    return b;
  }
}

// Calls f(slice of dest, slice of updates) for each pair; f works on `width` elements.
template <typename T, typename F>
void ForEachSlice(Tensor& dest, int64_t width, std::span<const int64_t> slices,
                  const Tensor& updates, bool is_scalar_update, F&& f) {
  T* const to = dest.mutable_flat<T>().data();
  const T* const from = updates.flat<T>().data();
  for (size_t i = 0; i < slices.size(); ++i) {
    if (slices[i] < 0) continue;
    f(to + slices[i] * width, is_scalar_update ? from : from + static_cast<int64_t>(i) * width);
  }
}

template <typename T>
Status CombineSlices(ScatterKind kind, Tensor& dest, int64_t width, std::span<const int64_t> slices,
                     const Tensor& updates, bool is_scalar_update) {
  if constexpr (std::is_integral_v<T>) {
    if (kind == ScatterKind::kDiv &&
        std::ranges::find(updates.flat<T>(), T(0)) != updates.flat<T>().end()) {
      return InvalidArgument("updates divide by zero");
    }
  }
  const int64_t step = is_scalar_update ? 0 : 1;
  ForEachSlice<T>(dest, width, slices, updates, is_scalar_update, [&](T* to, const T* from) {
    for (int64_t j = 0; j < width; ++j) to[j] = Combine<T>(kind, to[j], from[j * step]);
  });
  return OkStatus();
}

void ReplaceSlices(Tensor& dest, int64_t width, std::span<const int64_t> slices,
                   const Tensor& updates, bool is_scalar_update) {
  DispatchByLayout(dest.dtype(), [&]<typename T>() {
    ForEachSlice<T>(dest, width, slices, updates, is_scalar_update, [&](T* to, const T* from) {
      if (is_scalar_update) {
        std::fill_n(to, width, *from);
      } else {
        std::copy_n(from, width, to);
      }
    });
  });
}

// True when the dims [begin, rank) of `a` are `b`.
bool EndsWith(const Shape& a, int begin, std::span<const int64_t> b) {
  return a.rank() - begin == static_cast<int>(b.size()) &&
         std::equal(b.begin(), b.end(), a.dims().begin() + begin);
}

}  // namespace

Status ScatterSlices(ScatterKind kind, Tensor& dest, int64_t num_slices,
                     std::span<const int64_t> slices, const Tensor& updates,
                     bool is_scalar_update) {
  if (dest.num_elements() == 0) return OkStatus();
  const int64_t width = dest.num_elements() / num_slices;
  if (kind == ScatterKind::kUpdate) {
    ReplaceSlices(dest, width, slices, updates, is_scalar_update);
    return OkStatus();
  }
  using Types =
      TypeList<float, double, Half, Bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
               uint32_t, uint64_t, std::complex<float>, std::complex<double>, bool, std::string>;
  Status status = Unimplemented("elements of {} cannot be combined", DTypeName(dest.dtype()));
  internal::CallForDType(Types{}, dest.dtype(), [&]<typename T>() {
    status = CombineSlices<T>(kind, dest, width, slices, updates, is_scalar_update);
  });
  return status;
}

Status ScatterNdInto(ScatterKind kind, Tensor& dest, const Tensor& indices, const Tensor& updates,
                     BadIndices bad_indices) {
  RHEO_ASSIGN_OR_RETURN(const std::vector<int64_t> slices,
                        SliceNumbers(indices, dest.shape(), bad_indices));
  const int outer = indices.rank() - 1;
  const int depth = static_cast<int>(indices.dim(outer));
  const std::span<const int64_t> slice_dims =
      dest.shape().dims().subspan(static_cast<size_t>(depth));
  const std::span<const int64_t> outer_dims =
      indices.shape().dims().subspan(0, static_cast<size_t>(outer));
  const bool fits =
      updates.rank() >= outer && EndsWith(updates.shape(), outer, slice_dims) &&
      std::equal(outer_dims.begin(), outer_dims.end(), updates.shape().dims().begin());
  if (!fits) {
    return InvalidArgument(
        "updates of shape {} do not fit indices of shape {} into a tensor of shape {}",
        updates.shape().ToString(), indices.shape().ToString(), dest.shape().ToString());
  }
  int64_t num_slices = 1;
  for (int i = 0; i < depth; ++i) num_slices *= dest.dim(i);
  return ScatterSlices(kind, dest, num_slices, slices, updates);
}

Status ScatterRowsInto(ScatterKind kind, Tensor& dest, const Tensor& indices,
                       const Tensor& updates) {
  if (dest.rank() < 1) return InvalidArgument("a scalar has no rows to scatter into");
  RHEO_ASSIGN_OR_RETURN(const Dims rows, ReadIntegers(indices, "indices"));
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || rows[i] >= dest.dim(0)) {
      return InvalidArgument("indices{} = {} is not in [0, {})",
                             PositionText(indices.shape(), static_cast<int64_t>(i)), rows[i],
                             dest.dim(0));
    }
  }
  const bool is_scalar_update = updates.rank() == 0;
  const std::span<const int64_t> index_dims = indices.shape().dims();
  const bool fits =
      is_scalar_update ||
      (updates.rank() >= indices.rank() &&
       std::equal(index_dims.begin(), index_dims.end(), updates.shape().dims().begin()) &&
       EndsWith(updates.shape(), indices.rank(), dest.shape().dims().subspan(1)));
  if (!fits) {
    return InvalidArgument(
        "Must have updates.shape = indices.shape + params.shape[1:], got "
        "updates.shape {}, indices.shape {}, params.shape {}",
        updates.shape().ToString(), indices.shape().ToString(), dest.shape().ToString());
  }
  return ScatterSlices(kind, dest, dest.dim(0), rows, updates, is_scalar_update);
}

}  // namespace rheo::ops
