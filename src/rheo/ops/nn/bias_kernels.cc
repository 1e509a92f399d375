// BiasAdd and its gradient, for channels last (NHWC) and channels second (NCHW).
#include "rheo/ops/common/arithmetic.h"
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/common/reduction.h"
#include "rheo/ops/nn/kernels.h"

namespace rheo::ops {
namespace {

struct Plus {
  template <typename T>
  T operator()(T x, T y) const {
    return WrapAdd(x, y);
  }
};

StatusOr<bool> ChannelsSecond(const kernel::KernelInit& init) {
  const auto format = init.attrs.GetOr<std::string>("data_format", "NHWC");
  if (format != "NHWC" && format != "NCHW") {
    return InvalidArgument("Invalid data format {}", format);
  }
  return format == "NCHW";
}

class BiasAddKernel final : public kernel::Kernel {
 public:
  BiasAddKernel(const BinaryLoops& loops, bool channels_second)
      : loops_(loops), channels_second_(channels_second) {}

  Status Compute(KernelContext& context) override {
    const Shape value = context.input(0).shape();
    const Shape& bias = context.input(1).shape();
    if (value.rank() < 2) {
      return InvalidArgument("Input tensor must be at least 2D: {}", value.ToString());
    }
    if (bias.rank() != 1) return InvalidArgument("Biases must be 1D: {}", bias.ToString());
    const int channel = channels_second_ ? 1 : value.rank() - 1;
    if (bias.dim(0) != value.dim(channel)) {
      return InvalidArgument(
          "Must provide as many biases as the channel dimension of the input tensor: {} vs. {} in "
          "{}",
          bias.ToString(), value.dim(channel), value.ToString());
    }
    Shape aligned = {bias.dim(0)};
    for (int i = channel + 1; i < value.rank(); ++i) aligned.AddDim(1);
    return RunBinaryAs(context, loops_, value, aligned);
  }

 private:
  const BinaryLoops& loops_;
  const bool channels_second_;
};

// The sum over all dimensions but the channels'.
class BiasAddGradKernel final : public kernel::Kernel {
 public:
  BiasAddGradKernel(const ReductionLoops& loops, bool channels_second)
      : loops_(loops), channels_second_(channels_second) {}

  Status Compute(KernelContext& context) override {
    const Shape& shape = context.input(0).shape();
    if (shape.rank() < 2) {
      return InvalidArgument("Input tensor must be at least 2D: {}", shape.ToString());
    }
    const int channel = channels_second_ ? 1 : shape.rank() - 1;
    std::vector<int64_t> axes;
    for (int i = 0; i < shape.rank(); ++i) {
      if (i != channel) axes.push_back(i);
    }
    RHEO_ASSIGN_OR_RETURN(const ReductionPlan plan, PlanReduction(shape, axes, false));
    return RunReduction(context, loops_, plan);
  }

 private:
  const ReductionLoops& loops_;
  const bool channels_second_;
};

template <typename T>
struct BiasSum {
  using Element = T;
  using Accumulator = Wide<T>;
  using A = Accumulator;
  static A Initial() { return A(0); }
  static A Row(const T* x, int64_t n) {
    if constexpr (std::is_integral_v<T>) {
      A total = 0;
      for (int64_t i = 0; i < n; ++i) total = WrapAdd<A>(total, x[i]);
      return total;
    } else {
      return PairwiseSum<A>(x, n, [](const T& v) { return static_cast<A>(v); });
    }
  }
  static A Combine(A a, A b) { return WrapAdd(a, b); }
  static A Add(A a, T x) { return WrapAdd<A>(a, static_cast<A>(x)); }
  static T Finish(A a, int64_t) { return static_cast<T>(a); }
};

template <typename K, typename Loops>
kernel::KernelFactory Factory(const Loops& loops) {
  return [&loops](const kernel::KernelInit& init) -> StatusOr<std::unique_ptr<kernel::Kernel>> {
    RHEO_ASSIGN_OR_RETURN(const bool channels_second, ChannelsSecond(init));
    return std::make_unique<K>(loops, channels_second);
  };
}

}  // namespace

void RegisterBiasKernels(kernel::KernelRegistry& registry) {
  ForEachType<NumberTypes>([&]<typename T>() {
    for (const char* op : {"BiasAdd", "BiasAddV1"}) {
      registry.Add({.op = op,
                    .types = {{"T", {kDTypeOf<T>}}},
                    .factory = Factory<BiasAddKernel>(kBinaryLoops<Plus, T, T, kCheap>)});
    }
    registry.Add({.op = "BiasAddGrad",
                  .types = {{"T", {kDTypeOf<T>}}},
                  .factory = Factory<BiasAddGradKernel>(ReductionLoopsOf<BiasSum<T>>::kLoops)});
  });
}

}  // namespace rheo::ops
