// BatchMatMul (equal batches), BatchMatMulV2 and V3 (batches that broadcast).
#include "rheo/ops/common/broadcast.h"
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/math/cast.h"
#include "rheo/ops/math/gemm.h"
#include "rheo/ops/math/kernels.h"

namespace rheo::ops {
namespace {

Shape BatchOf(const Shape& s) { return Shape(s.dims().first(static_cast<size_t>(s.rank() - 2))); }

struct BatchPlan {
  BroadcastPlan batch;
  GemmShape gemm;
  Shape output;
};

StatusOr<BatchPlan> PlanBatch(const Shape& x, const Shape& y, bool adj_x, bool adj_y,
                              bool broadcasts) {
  if (x.rank() < 2 || y.rank() < 2) {
    return InvalidArgument("In[0] and In[1] ndims must be >= 2: {} and {}", x.ToString(),
                           y.ToString());
  }
  BatchPlan plan;
  const Shape batch_x = BatchOf(x);
  const Shape batch_y = BatchOf(y);
  if (!broadcasts && !(batch_x == batch_y)) {
    return InvalidArgument("In[0] and In[1] must have the same batch: {} and {}", x.ToString(),
                           y.ToString());
  }
  StatusOr<BroadcastPlan> batch = PlanBroadcast({&batch_x, &batch_y});
  if (!batch.ok()) {
    return InvalidArgument("In[0] and In[1] must have compatible batch dimensions: {} vs. {}",
                           x.ToString(), y.ToString());
  }
  plan.batch = *std::move(batch);
  const int rx = x.rank();
  const int ry = y.rank();
  plan.gemm = {.m = x.dim(adj_x ? rx - 1 : rx - 2),
               .n = y.dim(adj_y ? ry - 2 : ry - 1),
               .k = x.dim(adj_x ? rx - 2 : rx - 1),
               .transpose_a = adj_x,
               .transpose_b = adj_y,
               .conjugate_a = adj_x,
               .conjugate_b = adj_y};
  if (plan.gemm.k != y.dim(adj_y ? ry - 1 : ry - 2)) {
    return InvalidArgument("Matrix size-incompatible: In[0]: {}, In[1]: {}", x.ToString(),
                           y.ToString());
  }
  plan.output = plan.batch.output;
  plan.output.AddDim(plan.gemm.m);
  plan.output.AddDim(plan.gemm.n);
  return plan;
}

template <typename T>
void RunBatch(KernelContext& context, const BatchPlan& plan, const T* x, const T* y, T* z) {
  const GemmShape& s = plan.gemm;
  const int64_t row = plan.batch.row_length();
  const int64_t x_step = plan.batch.steps(0) ? 1 : 0;
  const int64_t y_step = plan.batch.steps(1) ? 1 : 0;
  const auto product = [&](const KernelContext* pool, int64_t at, int64_t from_x, int64_t from_y) {
    Gemm<T>(pool, s, x + from_x * s.m * s.k, y + from_y * s.k * s.n, z + at * s.m * s.n);
  };
  if (plan.batch.output.num_elements() == 1) return product(&context, 0, 0, 0);
  // One unit of work is one matrix: row r / row, place r % row within it.
  const int64_t total = plan.batch.num_rows() * row;
  context.ParallelFor(total, EstimateGemmNs(s), [&](int64_t begin, int64_t end) {
    plan.batch.ForEachRow(
        begin / row, (end + row - 1) / row, [&](int64_t at, const BroadcastPlan::Offsets& offsets) {
          const int64_t first = std::max<int64_t>(begin - at, 0);
          const int64_t last = std::min(end - at, row);
          for (int64_t i = first; i < last; ++i) {
            product(nullptr, at + i, offsets[0] + i * x_step, offsets[1] + i * y_step);
          }
        });
  });
}

template <typename T>
class BatchMatMulKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const kernel::KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(const bool adj_x, init.attrs.Get<bool>("adj_x"));
    RHEO_ASSIGN_OR_RETURN(const bool adj_y, init.attrs.Get<bool>("adj_y"));
    return std::make_unique<BatchMatMulKernel>(adj_x, adj_y, init.schema.name != "BatchMatMul");
  }
  BatchMatMulKernel(bool adj_x, bool adj_y, bool broadcasts)
      : adj_x_(adj_x), adj_y_(adj_y), broadcasts_(broadcasts) {}

  Status Compute(KernelContext& context) override {
    RHEO_ASSIGN_OR_RETURN(const Tensor x, Converted(context, context.input(0)));
    RHEO_ASSIGN_OR_RETURN(const Tensor y, Converted(context, context.input(1)));
    RHEO_ASSIGN_OR_RETURN(const BatchPlan plan,
                          PlanBatch(x.shape(), y.shape(), adj_x_, adj_y_, broadcasts_));
    RHEO_ASSIGN_OR_RETURN(Tensor * out, context.AllocateOutput(0, plan.output));
    if (out->num_elements() > 0) {
      RunBatch<T>(context, plan, x.flat<T>().data(), y.flat<T>().data(),
                  out->mutable_flat<T>().data());
    }
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }

 private:
  // The input as T; only BatchMatMulV3 has inputs of other dtypes.
  static StatusOr<Tensor> Converted(const KernelContext& context, const Tensor& input) {
    if (input.dtype() == kDTypeOf<T>) return input;
    const UnaryLoop loop = FindCastLoop(input.dtype(), kDTypeOf<T>);
    if (loop == nullptr) return Internal("no conversion of {}", DTypeName(input.dtype()));
    RHEO_ASSIGN_OR_RETURN(Tensor converted, context.AllocateTemp(kDTypeOf<T>, input.shape()));
    loop(input.data(), converted.mutable_data(), input.num_elements());
    return converted;
  }

  const bool adj_x_;
  const bool adj_y_;
  const bool broadcasts_;
};

}  // namespace

void RegisterBatchMatMulKernels(kernel::KernelRegistry& registry) {
  using Elements = TypeList<float, double, Half, Bfloat16, int16_t, int32_t, int64_t,
                            std::complex<float>, std::complex<double>>;
  ForEachType<Elements>([&]<typename T>() {
    constexpr DType kType = kDTypeOf<T>;
    for (const char* op : {"BatchMatMul", "BatchMatMulV2"}) {
      registry.Add({.op = op,
                    .types = {{"T", {kType}}},
                    .factory = kernel::ClassKernel<BatchMatMulKernel<T>>()});
    }
    if (kType == DType::kHalf || kType == DType::kBfloat16) return;
    registry.Add({.op = "BatchMatMulV3",
                  .types = {{"Ta", {kType}}, {"Tb", {kType}}, {"Tout", {kType}}},
                  .factory = kernel::ClassKernel<BatchMatMulKernel<T>>()});
  });
  // Bytes with bytes give int32; what has a bfloat16 side gives bfloat16.
  const std::vector<DType> bytes = {DType::kInt8, DType::kUint8};
  const std::vector<DType> bfloat = {DType::kBfloat16};
  const std::vector<DType> either = {DType::kInt8, DType::kUint8, DType::kBfloat16};
  const auto add = [&](std::vector<DType> a, std::vector<DType> b, DType out,
                       const kernel::KernelFactory& factory) {
    registry.Add({.op = "BatchMatMulV3",
                  .types = {{"Ta", std::move(a)}, {"Tb", std::move(b)}, {"Tout", {out}}},
                  .factory = factory});
  };
  add(bytes, bytes, DType::kInt32, kernel::ClassKernel<BatchMatMulKernel<int32_t>>());
  const auto as_bfloat = kernel::ClassKernel<BatchMatMulKernel<Bfloat16>>();
  add(either, bfloat, DType::kBfloat16, as_bfloat);
  add(bfloat, bytes, DType::kBfloat16, as_bfloat);
}

}  // namespace rheo::ops
