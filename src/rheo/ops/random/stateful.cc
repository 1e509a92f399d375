// RandomUniform, RandomUniformInt, RandomStandardNormal, TruncatedNormal: each kernel goes on in
// its own sequence from step to step.
#include "rheo/ops/common/integers.h"
#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/random/generator.h"
#include "rheo/ops/random/int_range.h"
#include "rheo/ops/random/kernels.h"

namespace rheo::ops {
namespace {

using kernel::KernelContext;
using kernel::KernelInit;

// How far a run moves on in the sequence for each number, used or not.
constexpr uint64_t kBlocksPerNumber = 256;

template <typename T, typename Distribution>
Status FillOutput(KernelContext& c, Generator& generator, const Distribution& distribution) {
  RHEO_ASSIGN_OR_RETURN(Shape shape, ReadShape(c.input(0), "shape"));
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, std::move(shape)));
  const auto n = static_cast<uint64_t>(out->num_elements());
  if (n == 0) return OkStatus();
  FillRandom(c, generator.Reserve(n * kBlocksPerNumber), distribution, out->mutable_flat<T>());
  return OkStatus();
}

template <typename T, typename Distribution>
class RandomKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(const Philox start, PhiloxOfSeeds(init));
    return std::make_unique<RandomKernel>(start);
  }
  explicit RandomKernel(Philox start) : generator_(start) {}
  Status Compute(KernelContext& c) override { return FillOutput<T>(c, generator_, Distribution()); }

 private:
  Generator generator_;
};

template <typename T>
class RandomIntKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(const Philox start, PhiloxOfSeeds(init));
    return std::make_unique<RandomIntKernel>(start);
  }
  explicit RandomIntKernel(Philox start) : generator_(start) {}
  Status Compute(KernelContext& c) override {
    RHEO_ASSIGN_OR_RETURN(const UniformInt<T> range, ReadIntRange<T>(c.input(1), c.input(2)));
    return FillOutput<T>(c, generator_, range);
  }

 private:
  Generator generator_;
};

template <template <typename> class Distribution>
kernel::KernelFactory Floats() {
  return ByType<FloatTypes>("dtype", []<typename T>() {
    return kernel::ClassKernel<RandomKernel<T, Distribution<T>>>();
  });
}

}  // namespace

void AddStatefulRandomKernels(TableKernels& kernels) {
  kernels.Add("RandomUniform", Floats<Uniform>());
  kernels.Add("RandomStandardNormal", Floats<Normal>());
  kernels.Add("TruncatedNormal", Floats<TruncatedNormal>());
  kernels.Add("RandomUniformInt", ByType<IndexTypes>("Tout", []<typename T>() {
                return kernel::ClassKernel<RandomIntKernel<T>>();
              }));
}

}  // namespace rheo::ops
