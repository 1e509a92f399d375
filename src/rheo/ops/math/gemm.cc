// Matrix products of the element types that oneDNN does not multiply.
#include "rheo/ops/math/gemm.h"

#include <algorithm>
#include <complex>
#include <vector>

#include "rheo/ops/common/arithmetic.h"
#include "rheo/ops/common/elementwise.h"

namespace rheo::ops {
namespace {

// Rows of the output that are made at once, and the part of the other sides that stays in cache.
constexpr int64_t kRows = 4;
constexpr int64_t kColumns = 256;
constexpr int64_t kDepth = 128;

// The matrix as rows × columns without transposition; `copy` holds it if that takes a copy.
template <typename T>
const T* Straighten(const T* x, int64_t rows, int64_t columns, bool transposed, bool conjugate,
                    std::vector<T>& copy) {
  if (!transposed && !(conjugate && kIsComplex<T>)) return x;
  copy.resize(static_cast<size_t>(rows * columns));
  const int64_t row_step = transposed ? 1 : columns;
  const int64_t column_step = transposed ? rows : 1;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      const T& value = x[i * row_step + j * column_step];
      copy[static_cast<size_t>(i * columns + j)] = conjugate ? Conjugate(value) : value;
    }
  }
  return copy.data();
}

// z[r][j] += x[r][p] * y[p][j] for kRowCount rows.
template <typename T, int64_t kRowCount>
void Tile(const T* x, const T* y, T* z, int64_t n, int64_t k, int64_t columns, int64_t depth) {
  for (int64_t p = 0; p < depth; ++p) {
    const T* row = y + p * n;
    for (int64_t r = 0; r < kRowCount; ++r) {
      const T factor = x[r * k + p];
      T* out = z + r * n;
      RHEO_INDEPENDENT_LOOP
      for (int64_t j = 0; j < columns; ++j) out[j] = WrapAdd(out[j], WrapMul(factor, row[j]));
    }
  }
}

template <typename T>
void Rows(const T* a, const T* b, T* c, int64_t n, int64_t k, int64_t begin, int64_t end) {
  std::fill(c + begin * n, c + end * n, T(0));
  for (int64_t p = 0; p < k; p += kDepth) {
    const int64_t depth = std::min(kDepth, k - p);
    for (int64_t j = 0; j < n; j += kColumns) {
      const int64_t columns = std::min(kColumns, n - j);
      int64_t i = begin;
      for (; i + kRows <= end; i += kRows) {
        Tile<T, kRows>(a + i * k + p, b + p * n + j, c + i * n + j, n, k, columns, depth);
      }
      for (; i < end; ++i) {
        Tile<T, 1>(a + i * k + p, b + p * n + j, c + i * n + j, n, k, columns, depth);
      }
    }
  }
}

}  // namespace

template <typename T>
void Gemm(const kernel::KernelContext* context, const GemmShape& s, const T* a, const T* b, T* c) {
  std::vector<T> a_copy;
  std::vector<T> b_copy;
  a = Straighten(a, s.m, s.k, s.transpose_a, s.conjugate_a, a_copy);
  b = Straighten(b, s.k, s.n, s.transpose_b, s.conjugate_b, b_copy);
  if (context == nullptr) {
    Rows(a, b, c, s.n, s.k, 0, s.m);
    return;
  }
  const int64_t groups = (s.m + kRows - 1) / kRows;
  context->ParallelFor(groups, 10 + kRows * s.n * s.k / 2, [&](int64_t begin, int64_t end) {
    Rows(a, b, c, s.n, s.k, begin * kRows, std::min(end * kRows, s.m));
  });
}

template void Gemm(const kernel::KernelContext*, const GemmShape&, const double*, const double*,
                   double*);
template void Gemm(const kernel::KernelContext*, const GemmShape&, const int16_t*, const int16_t*,
                   int16_t*);
template void Gemm(const kernel::KernelContext*, const GemmShape&, const int32_t*, const int32_t*,
                   int32_t*);
template void Gemm(const kernel::KernelContext*, const GemmShape&, const int64_t*, const int64_t*,
                   int64_t*);
template void Gemm(const kernel::KernelContext*, const GemmShape&, const std::complex<float>*,
                   const std::complex<float>*, std::complex<float>*);
template void Gemm(const kernel::KernelContext*, const GemmShape&, const std::complex<double>*,
                   const std::complex<double>*, std::complex<double>*);

}  // namespace rheo::ops
