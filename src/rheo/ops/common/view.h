// View: a strided look at the elements of a buffer, and the one loop that copies between two views.
// Transpose, Slice, StridedSlice, Tile, Pad and their gradients are such copies.
#ifndef RHEO_OPS_COMMON_VIEW_H_
#define RHEO_OPS_COMMON_VIEW_H_

#include <algorithm>
#include <cstdint>

#include "rheo/kernel/kernel_context.h"
#include "rheo/tensor/shape.h"

namespace rheo::ops {

// Element (i, j, …) lies at offset + i·strides[0] + j·strides[1] + …, counted in elements. Strides
// may be zero (repeat) or negative (reverse).
struct View {
  Dims dims;
  Dims strides;
  int64_t offset = 0;

  int64_t num_elements() const {
    int64_t n = 1;
    for (const int64_t d : dims) n *= d;
    return n;
  }
};

// Row-major strides of `dims`.
Dims DenseStrides(std::span<const int64_t> dims);
// All elements of a dense tensor.
View DenseView(const Shape& shape);
// `view` with axis i of the result being axis perm[i]. Precondition: perm is a permutation.
View Permute(const View& view, std::span<const int> perm);

// Two views of the same dims in their simplest form: no axes of size one, neighbours merged where
// both allow it. There is at least one axis. Of empty views, one axis of size 0.
struct ViewPair {
  Dims dims;
  Dims in_strides;
  Dims out_strides;
  int64_t in_offset = 0;
  int64_t out_offset = 0;
};
ViewPair Simplify(const View& in, const View& out);

namespace internal {

inline constexpr int64_t kTile = 16;

// The axis along which the input is contiguous while the output's last axis is not; -1 for none.
int TileAxis(const ViewPair& v);
// The offsets of position `index` among the first `rank` axes, leaving out axis `skip`.
void OffsetsAt(const ViewPair& v, int rank, int skip, int64_t index, int64_t& in, int64_t& out);

template <typename T>
void CopyLine(const T* in, int64_t in_stride, T* out, int64_t out_stride, int64_t n) {
  if (in_stride == 1 && out_stride == 1) {
    std::copy_n(in, n, out);
  } else if (in_stride == 0 && out_stride == 1) {
    std::fill_n(out, n, *in);
  } else {
    for (int64_t i = 0; i < n; ++i) out[i * out_stride] = in[i * in_stride];
  }
}

// A plane in square tiles, so that both sides use whole cache lines.
template <typename T>
void CopyTiled(const T* in, T* out, int64_t rows, int64_t columns, int64_t in_row,
               int64_t in_column, int64_t out_row, int64_t out_column) {
  for (int64_t r0 = 0; r0 < rows; r0 += kTile) {
    const int64_t r1 = std::min(rows, r0 + kTile);
    for (int64_t c0 = 0; c0 < columns; c0 += kTile) {
      const int64_t c1 = std::min(columns, c0 + kTile);
      for (int64_t r = r0; r < r1; ++r) {
        CopyLine(in + r * in_row + c0 * in_column, in_column, out + r * out_row + c0 * out_column,
                 out_column, c1 - c0);
      }
    }
  }
}

}  // namespace internal

// Copies element by element from `in` to `out`, views of equal dims that do not overlap.
template <typename T>
void CopyView(const kernel::KernelContext& context, const T* in, const View& in_view, T* out,
              const View& out_view) {
  const ViewPair v = Simplify(in_view, out_view);
  const int last = static_cast<int>(v.dims.size()) - 1;
  const int tile = internal::TileAxis(v);
  int64_t outer = 1;
  for (int i = 0; i < last; ++i) {
    if (i != tile) outer *= v.dims[static_cast<size_t>(i)];
  }
  const auto at = [](const Dims& d, int i) { return d[static_cast<size_t>(i)]; };
  const int64_t columns = at(v.dims, last);
  const int64_t rows = tile < 0 ? 1 : at(v.dims, tile);
  if (outer * rows * columns == 0) return;
  context.ParallelFor(outer, 1 + rows * columns, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t from = v.in_offset;
      int64_t to = v.out_offset;
      internal::OffsetsAt(v, last, tile, i, from, to);
      if (tile < 0) {
        internal::CopyLine(in + from, at(v.in_strides, last), out + to, at(v.out_strides, last),
                           columns);
      } else {
        internal::CopyTiled(in + from, out + to, rows, columns, at(v.in_strides, tile),
                            at(v.in_strides, last), at(v.out_strides, tile),
                            at(v.out_strides, last));
      }
    }
  });
}

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_VIEW_H_
