// _UnaryOpsComposition: a chain of functions of one number, applied block by block.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/common/scalar_functions.h"
#include "rheo/ops/fused/kernels.h"

namespace rheo::ops {
namespace {

// In place over n elements; each result is rounded to T, as the single ops would do.
template <typename T>
using Loop = void (*)(T* x, int64_t n);

template <typename T>
struct NamedLoop {
  std::string_view op;
  Loop<T> loop;
};

constexpr double kSeluScale = 1.0507009873554804934193349852946;
constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;

// `F` has no state, so that its type alone makes the loop.
template <typename T, typename F>
constexpr NamedLoop<T> Row(std::string_view op, F) {
  return {op, [](T* x, int64_t n) {
            RHEO_INDEPENDENT_LOOP
            for (int64_t i = 0; i < n; ++i) x[i] = static_cast<T>(F{}(static_cast<Wide<T>>(x[i])));
          }};
}

template <typename T>
Loop<T> FindLoop(std::string_view op) {
  using W = Wide<T>;
  static constexpr NamedLoop<T> kLoops[] = {
      Row<T>("Abs", [](W x) { return std::abs(x); }),
      Row<T>("Acos", [](W x) { return std::acos(x); }),
      Row<T>("Acosh", [](W x) { return std::acosh(x); }),
      Row<T>("Asin", [](W x) { return std::asin(x); }),
      Row<T>("Asinh", [](W x) { return std::asinh(x); }),
      Row<T>("Atan", [](W x) { return std::atan(x); }),
      Row<T>("Atanh", [](W x) { return std::atanh(x); }),
      Row<T>("Ceil", [](W x) { return std::ceil(x); }),
      Row<T>("Cos", [](W x) { return std::cos(x); }),
      Row<T>("Cosh", [](W x) { return std::cosh(x); }),
      Row<T>("Elu", scalar::Elu()),
      Row<T>("Exp", [](W x) { return FastExp(x); }),
      Row<T>("Expm1", [](W x) { return std::expm1(x); }),
      Row<T>("Floor", [](W x) { return std::floor(x); }),
      Row<T>("Inv", [](W x) { return W(1) / x; }),
      Row<T>("Log", [](W x) { return std::log(x); }),
      Row<T>("Log1p", [](W x) { return std::log1p(x); }),
      Row<T>("Neg", [](W x) { return -x; }),
      Row<T>("Reciprocal", [](W x) { return W(1) / x; }),
      Row<T>("Relu", scalar::Relu()),
      Row<T>("Relu6", scalar::Relu6()),
      Row<T>("Rint", [](W x) { return std::nearbyint(x); }),
      Row<T>("Round", [](W x) { return std::nearbyint(x); }),
      Row<T>("Rsqrt", [](W x) { return W(1) / std::sqrt(x); }),
      Row<T>("Selu",
             [](W x) { return x < W(0) ? W(kSeluScaleAlpha) * std::expm1(x) : W(kSeluScale) * x; }),
      Row<T>("Sigmoid", scalar::Sigmoid()),
      Row<T>("Sin", [](W x) { return std::sin(x); }),
      Row<T>("Sinh", [](W x) { return std::sinh(x); }),
      Row<T>("Sqrt", [](W x) { return std::sqrt(x); }),
      Row<T>("Square", [](W x) { return x * x; }),
      Row<T>("Tan", [](W x) { return std::tan(x); }),
      Row<T>("Tanh", scalar::Tanh()),
  };
  for (const NamedLoop<T>& known : kLoops) {
    if (known.op == op) return known.loop;
  }
  return nullptr;
}

template <typename T>
class UnaryCompositionKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const kernel::KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(const auto names, init.attrs.Get<std::vector<std::string>>("op_names"));
    if (names.empty()) {
      return InvalidArgument("Unary op composition must have at least one op");
    }
    std::vector<Loop<T>> loops;
    for (const std::string& name : names) {
      const Loop<T> loop = FindLoop<T>(name);
      if (loop == nullptr) {
        return InvalidArgument("Do not have a compute function registered for op: {}", name);
      }
      loops.push_back(loop);
    }
    return std::make_unique<UnaryCompositionKernel>(std::move(loops));
  }
  explicit UnaryCompositionKernel(std::vector<Loop<T>> loops) : loops_(std::move(loops)) {}

  Status Compute(KernelContext& context) override {
    const T* x = context.input(0).flat<T>().data();
    const Shape shape = context.input(0).shape();
    RHEO_ASSIGN_OR_RETURN(Tensor * out, context.ForwardOrAllocateOutput({0}, 0, shape));
    T* z = out->mutable_flat<T>().data();
    const auto cost = kCostly * static_cast<int64_t>(loops_.size());
    ForElements(context, out->num_elements(), cost, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i += kBlock) Block(x + i, z + i, std::min(kBlock, end - i));
    });
    return OkStatus();
  }

 private:
  // As many elements as stay in the first cache through all functions.
  static constexpr int64_t kBlock = 1024;

  void Block(const T* x, T* z, int64_t n) const {
    if (x != z) std::copy(x, x + n, z);
    for (const Loop<T> loop : loops_) loop(z, n);
  }

  const std::vector<Loop<T>> loops_;
};

}  // namespace

void RegisterUnaryCompositionKernels(kernel::KernelRegistry& registry) {
  ForEachType<TypeList<float, double, Half>>([&]<typename T>() {
    registry.Add({.op = "_UnaryOpsComposition",
                  .types = {{"T", {kDTypeOf<T>}}},
                  .factory = kernel::ClassKernel<UnaryCompositionKernel<T>>()});
  });
}

}  // namespace rheo::ops
