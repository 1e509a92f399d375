#include "rheo/ops/common/view.h"

namespace rheo::ops {

Dims DenseStrides(std::span<const int64_t> dims) {
  Dims strides(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dims[i];
  }
  return strides;
}

View DenseView(const Shape& shape) {
  return {.dims = Dims(shape.dims().begin(), shape.dims().end()),
          .strides = DenseStrides(shape.dims()),
          .offset = 0};
}

View Permute(const View& view, std::span<const int> perm) {
  View result;
  result.offset = view.offset;
  for (const int axis : perm) {
    result.dims.push_back(view.dims[static_cast<size_t>(axis)]);
    result.strides.push_back(view.strides[static_cast<size_t>(axis)]);
  }
  return result;
}

ViewPair Simplify(const View& in, const View& out) {
  ViewPair v;
  v.in_offset = in.offset;
  v.out_offset = out.offset;
  if (in.num_elements() == 0) {
    v.dims = v.in_strides = v.out_strides = Dims{0};
    return v;
  }
  for (size_t i = 0; i < in.dims.size(); ++i) {
    const int64_t n = in.dims[i];
    if (n == 1) continue;
    const bool merges = !v.dims.empty() && v.in_strides.back() == in.strides[i] * n &&
                        v.out_strides.back() == out.strides[i] * n;
    if (merges) {
      v.dims.back() *= n;
      v.in_strides.back() = in.strides[i];
      v.out_strides.back() = out.strides[i];
    } else {
      v.dims.push_back(n);
      v.in_strides.push_back(in.strides[i]);
      v.out_strides.push_back(out.strides[i]);
    }
  }
  if (v.dims.empty()) v.dims = v.in_strides = v.out_strides = Dims{1};
  return v;
}

namespace internal {

int TileAxis(const ViewPair& v) {
  const int last = static_cast<int>(v.dims.size()) - 1;
  if (v.in_strides[static_cast<size_t>(last)] == 1) return -1;
  for (int i = 0; i < last; ++i) {
    if (v.in_strides[static_cast<size_t>(i)] == 1) return i;
  }
  return -1;
}

void OffsetsAt(const ViewPair& v, int rank, int skip, int64_t index, int64_t& in, int64_t& out) {
  for (int i = rank - 1; i >= 0; --i) {
    if (i == skip) continue;
    const auto axis = static_cast<size_t>(i);
    const int64_t position = index % v.dims[axis];
    index /= v.dims[axis];
    in += position * v.in_strides[axis];
    out += position * v.out_strides[axis];
  }
}

}  // namespace internal
}  // namespace rheo::ops
