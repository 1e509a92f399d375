// RandomShuffle: the rows of a tensor in random order.
#include <numeric>

#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/random/generator.h"
#include "rheo/ops/random/kernels.h"

namespace rheo::ops {
namespace {

using kernel::KernelContext;
using kernel::KernelInit;

class RandomShuffleKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(const Philox start, PhiloxOfSeeds(init));
    return std::make_unique<RandomShuffleKernel>(start);
  }
  explicit RandomShuffleKernel(Philox start) : generator_(start) {}

  Status Compute(KernelContext& c) override {
    const Tensor& in = c.input(0);
    if (in.num_elements() <= 1 || in.dim(0) <= 1) {
      c.set_output(0, c.TakeInput(0));
      return OkStatus();
    }
    const std::vector<int64_t> order = RandomOrder(in.dim(0));
    RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, in.shape()));
    const int64_t width = in.num_elements() / in.dim(0);
    DispatchByLayout(in.dtype(), [&]<typename T>() {
      const T* const from = in.flat<T>().data();
      T* to = out->mutable_flat<T>().data();
      for (const int64_t row : order) to = std::copy_n(from + row * width, width, to);
    });
    return OkStatus();
  }

 private:
  // 0, 1, … with each but the last exchanged for itself or a later one (Fisher and Yates).
  std::vector<int64_t> RandomOrder(int64_t n) {
    PhiloxWords words(generator_.Reserve(static_cast<uint64_t>((n + 3) / 4)));
    std::vector<int64_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    for (int64_t i = 0; i + 1 < n; ++i) {
      const int64_t other = i + static_cast<int64_t>(words.Next() % static_cast<uint64_t>(n - i));
      std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(other)]);
    }
    return order;
  }

  Generator generator_;
};

}  // namespace

void AddRandomShuffleKernels(TableKernels& kernels) {
  kernels.Add("RandomShuffle", kernel::ClassKernel<RandomShuffleKernel>());
}

}  // namespace rheo::ops
