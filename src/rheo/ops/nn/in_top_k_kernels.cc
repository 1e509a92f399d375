// InTopK and InTopKV2: is the prediction of the target class among the k largest of its row?
#include <cmath>

#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/nn/kernels.h"

namespace rheo::ops {
namespace {

// False for a class out of range and when a prediction that matters is not finite.
bool IsInTopK(const float* row, int64_t num_classes, int64_t target, int64_t k) {
  if (target < 0 || target >= num_classes || !std::isfinite(row[target])) return false;
  int64_t larger = 0;
  for (int64_t i = 0; i < num_classes; ++i) {
    if (!std::isfinite(row[i])) return false;
    if (row[i] > row[target]) ++larger;
  }
  return larger < k;
}

template <typename T>
class InTopKKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const kernel::KernelInit& init) {
    return std::make_unique<InTopKKernel>(init.attrs.GetOr<int64_t>("k", 0));
  }
  explicit InTopKKernel(int64_t k) : k_(k) {}

  Status Compute(KernelContext& context) override {
    const Tensor& predictions = context.input(0);
    const Tensor& targets = context.input(1);
    int64_t k = k_;
    if (context.num_inputs() > 2) {
      const Tensor& given = context.input(2);
      if (given.rank() != 0) {
        return InvalidArgument("k must be 0-D, got shape {}", given.shape().ToString());
      }
      k = given.scalar<T>();
    }
    if (predictions.rank() != 2) {
      return InvalidArgument("predictions must be 2-dimensional, not {}",
                             predictions.shape().ToString());
    }
    if (targets.rank() != 1) {
      return InvalidArgument("targets must be 1-dimensional, not {}", targets.shape().ToString());
    }
    if (predictions.dim(0) != targets.dim(0)) {
      return InvalidArgument("First dimension of predictions {} must match length of targets {}",
                             predictions.dim(0), targets.dim(0));
    }
    RHEO_ASSIGN_OR_RETURN(Tensor * out, context.AllocateOutput(0, targets.shape()));
    const std::span<bool> z = out->mutable_flat<bool>();
    const int64_t n = predictions.dim(1);
    for (size_t r = 0; r < z.size(); ++r) {
      z[r] = IsInTopK(predictions.flat<float>().data() + static_cast<int64_t>(r) * n, n,
                      targets.flat<T>()[r], k);
    }
    return OkStatus();
  }

 private:
  const int64_t k_;
};

}  // namespace

void RegisterInTopKKernels(kernel::KernelRegistry& registry) {
  ForEachType<IndexTypes>([&]<typename T>() {
    for (const char* op : {"InTopK", "InTopKV2"}) {
      registry.Add({.op = op,
                    .types = {{"T", {kDTypeOf<T>}}},
                    .factory = kernel::ClassKernel<InTopKKernel<T>>()});
    }
  });
}

}  // namespace rheo::ops
