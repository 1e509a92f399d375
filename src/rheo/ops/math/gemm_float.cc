// Matrix products of float by oneDNN, and of 16-bit floats through it.
#include <dnnl.h>

#include <algorithm>
#include <vector>

#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/math/gemm.h"

extern "C" void omp_set_num_threads(int);

namespace rheo::ops {
namespace {

// Below this many multiplications a plain loop beats oneDNN's fixed cost of 200 ns.
constexpr int64_t kSmall = 2048;

// oneDNN runs on OpenMP; a team of one keeps its work on the calling thread.
void UseOneThread() {
  thread_local const bool done = [] {
    omp_set_num_threads(1);
    return true;
  }();
  static_cast<void>(done);
}

void SmallGemm(const GemmShape& s, const float* a, const float* b, float* c) {
  const int64_t a_row = s.transpose_a ? 1 : s.k;
  const int64_t a_step = s.transpose_a ? s.m : 1;
  for (int64_t i = 0; i < s.m; ++i) {
    float* z = c + i * s.n;
    std::fill_n(z, s.n, 0.0f);
    for (int64_t p = 0; p < s.k; ++p) {
      const float factor = a[i * a_row + p * a_step];
      if (s.transpose_b) {
        for (int64_t j = 0; j < s.n; ++j) z[j] += factor * b[j * s.k + p];
      } else {
        for (int64_t j = 0; j < s.n; ++j) z[j] += factor * b[p * s.n + j];
      }
    }
  }
}

// Rows [i, i + m) and columns [j, j + n) of the product.
void Block(const GemmShape& s, const float* a, const float* b, float* c, int64_t i, int64_t m,
           int64_t j, int64_t n) {
  UseOneThread();
  const int64_t lda = s.transpose_a ? s.m : s.k;
  const int64_t ldb = s.transpose_b ? s.k : s.n;
  dnnl_sgemm(s.transpose_a ? 'T' : 'N', s.transpose_b ? 'T' : 'N', m, n, s.k, 1.0f,
             a + (s.transpose_a ? i : i * s.k), lda, b + (s.transpose_b ? j * s.k : j), ldb, 0.0f,
             c + i * s.n + j, s.n);
}

// The longer side of the output is cut into one part per thread.
void ShardedGemm(const kernel::KernelContext& context, const GemmShape& s, const float* a,
                 const float* b, float* c) {
  constexpr int64_t kGrain = 16;
  const bool by_rows = s.m >= s.n;
  const int64_t length = by_rows ? s.m : s.n;
  const int64_t threads = context.step().intra_op_pool->num_threads();
  const int64_t part = ((length + threads - 1) / threads + kGrain - 1) / kGrain * kGrain;
  const int64_t parts = (length + part - 1) / part;
  context.ParallelFor(parts, EstimateGemmNs(s) / parts, [&](int64_t begin, int64_t end) {
    const int64_t start = begin * part;
    const int64_t size = std::min(end * part, length) - start;
    by_rows ? Block(s, a, b, c, start, size, 0, s.n) : Block(s, a, b, c, 0, s.m, start, size);
  });
}

template <typename T>
void GemmAsFloat(const kernel::KernelContext* context, const GemmShape& s, const T* a, const T* b,
                 T* c) {
  const std::vector<float> wide_a(a, a + s.m * s.k);
  const std::vector<float> wide_b(b, b + s.k * s.n);
  std::vector<float> wide_c(static_cast<size_t>(s.m * s.n));
  Gemm<float>(context, s, wide_a.data(), wide_b.data(), wide_c.data());
  std::copy(wide_c.begin(), wide_c.end(), c);
}

}  // namespace

template <>
void Gemm<float>(const kernel::KernelContext* context, const GemmShape& s, const float* a,
                 const float* b, float* c) {
  if (s.m * s.n * s.k <= kSmall) {
    SmallGemm(s, a, b, c);
  } else if (context == nullptr || context->step().intra_op_pool == nullptr) {
    Block(s, a, b, c, 0, s.m, 0, s.n);
  } else {
    ShardedGemm(*context, s, a, b, c);
  }
}

template <>
void Gemm<Half>(const kernel::KernelContext* context, const GemmShape& s, const Half* a,
                const Half* b, Half* c) {
  GemmAsFloat(context, s, a, b, c);
}

template <>
void Gemm<Bfloat16>(const kernel::KernelContext* context, const GemmShape& s, const Bfloat16* a,
                    const Bfloat16* b, Bfloat16* c) {
  GemmAsFloat(context, s, a, b, c);
}

}  // namespace rheo::ops
