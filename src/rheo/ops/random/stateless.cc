// The Stateless ops: the seed, or a key and counter made of it, decides the numbers alone.
#include "rheo/ops/common/integers.h"
#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/random/int_range.h"
#include "rheo/ops/random/kernels.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;

// The values of the `alg` inputs and outputs.
constexpr int64_t kPhilox = 1;
constexpr int64_t kThreeFry = 2;
constexpr int64_t kAutoSelect = 3;

struct KeyAndCounter {
  uint64_t key;
  uint64_t counter_high;  // the low half is 0
};

// Scrambles the two numbers of a seed with one block of a fixed key.
StatusOr<KeyAndCounter> ScrambleSeed(const Tensor& seed) {
  if (!(seed.shape() == Shape{2})) {
    return InvalidArgument("seed must have shape [2], not {}", seed.shape().ToString());
  }
  RHEO_ASSIGN_OR_RETURN(const Dims s, ReadIntegers(seed, "seed"));
  const auto first = static_cast<uint64_t>(s[0]);
  const auto second = static_cast<uint64_t>(s[1]);
  Philox scrambler({0x3ec8f720, 0x02461e29}, {Philox::Low(first), Philox::High(first),
                                              Philox::Low(second), Philox::High(second)});
  const Philox::Block m = scrambler.Next();
  return KeyAndCounter{.key = Join(m[0], m[1]), .counter_high = Join(m[2], m[3])};
}

Status CheckAlgorithm(const Tensor& alg) {
  RHEO_ASSIGN_OR_RETURN(const int64_t value, ReadIntScalar(alg, "alg"));
  if (value == kPhilox || value == kAutoSelect) return OkStatus();
  if (value == kThreeFry) return Unimplemented("the ThreeFry algorithm");
  return InvalidArgument("Unsupported algorithm id: {}", value);
}

// Where the numbers begin. First version: input 1 is the seed. Second version: inputs 1, 2 and 3
// are key, counter and algorithm.
StatusOr<Philox> SeededStart(const KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const KeyAndCounter k, ScrambleSeed(c.input(1)));
  return Philox(k.key, 0, k.counter_high);
}
StatusOr<Philox> KeyedStart(const KernelContext& c) {
  const Tensor& key = c.input(1);
  const Tensor& counter = c.input(2);
  RHEO_RETURN_IF_ERROR(CheckAlgorithm(c.input(3)));
  if (!(key.shape() == Shape{1})) {
    return InvalidArgument("key must have shape [1], not {}", key.shape().ToString());
  }
  if (counter.rank() != 1 || counter.dim(0) < 2) {
    return InvalidArgument("counter must be a vector of 2 elements at least, but has shape {}",
                           counter.shape().ToString());
  }
  const std::span<const uint64_t> words = counter.flat<uint64_t>();
  return Philox(key.flat<uint64_t>()[0], words[0], words[1]);
}

using Start = StatusOr<Philox> (*)(const KernelContext&);

template <Start kStart, typename T, typename Distribution>
Status Fill(KernelContext& c, const Distribution& distribution) {
  RHEO_ASSIGN_OR_RETURN(Shape shape, ReadShape(c.input(0), "shape"));
  RHEO_ASSIGN_OR_RETURN(const Philox start, kStart(c));
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, std::move(shape)));
  FillRandom(c, start, distribution, out->mutable_flat<T>());
  return OkStatus();
}

template <Start kStart, typename T, typename Distribution>
Status FillPlain(KernelContext& c) {
  return Fill<kStart, T>(c, Distribution());
}

// The last two inputs are the bounds.
template <Start kStart, typename T>
Status FillInRange(KernelContext& c) {
  const int n = c.num_inputs();
  RHEO_ASSIGN_OR_RETURN(const UniformInt<T> range, ReadIntRange<T>(c.input(n - 2), c.input(n - 1)));
  return Fill<kStart, T>(c, range);
}

template <Start kStart, template <typename> class Distribution>
kernel::KernelFactory Floats() {
  return ByType<FloatTypes>(
      "dtype", []<typename T>() { return FunctionKernel(&FillPlain<kStart, T, Distribution<T>>); });
}

template <Start kStart>
void AddVersion(TableKernels& kernels, const std::string& suffix) {
  using FullTypes = TypeList<int32_t, int64_t, uint32_t, uint64_t>;
  kernels.Add("StatelessRandomUniform" + suffix, Floats<kStart, Uniform>());
  kernels.Add("StatelessRandomNormal" + suffix, Floats<kStart, Normal>());
  kernels.Add("StatelessTruncatedNormal" + suffix, Floats<kStart, TruncatedNormal>());
  kernels.Add("StatelessRandomUniformInt" + suffix, ByType<IndexTypes>("dtype", []<typename T>() {
                return FunctionKernel(&FillInRange<kStart, T>);
              }));
  kernels.Add("StatelessRandomUniformFullInt" + suffix,
              ByType<FullTypes>("dtype", []<typename T>() {
                return FunctionKernel(&FillPlain<kStart, T, UniformInt<T>>);
              }));
}

Status SetKeyAndCounter(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const KeyAndCounter k, ScrambleSeed(c.input(0)));
  c.set_output(0, Tensor::Vector<uint64_t>({k.key}));
  c.set_output(1, Tensor::Vector<uint64_t>({0, k.counter_high}));
  return OkStatus();
}

Status SetKeyCounterAndAlgorithm(KernelContext& c) {
  RHEO_RETURN_IF_ERROR(SetKeyAndCounter(c));
  c.set_output(2, Tensor::Scalar<int32_t>(kPhilox));
  return OkStatus();
}

Status SetAlgorithm(KernelContext& c) {
  c.set_output(0, Tensor::Scalar<int32_t>(kPhilox));
  return OkStatus();
}

}  // namespace

void AddStatelessRandomKernels(TableKernels& kernels) {
  AddVersion<&SeededStart>(kernels, "");
  AddVersion<&KeyedStart>(kernels, "V2");
  kernels.Add("StatelessRandomGetKeyCounter", FunctionKernel(&SetKeyAndCounter));
  kernels.Add("StatelessRandomGetKeyCounterAlg", FunctionKernel(&SetKeyCounterAndAlgorithm));
  kernels.Add("StatelessRandomGetAlg", FunctionKernel(&SetAlgorithm));
}

}  // namespace rheo::ops
