// Between complex numbers and their parts.
#include <cmath>

#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/math/kernels.h"

namespace rheo::ops {
namespace {

struct RealOf {
  template <typename T>
  auto operator()(T x) const {
    return x.real();
  }
};
struct ImagOf {
  template <typename T>
  auto operator()(T x) const {
    return x.imag();
  }
};
struct AngleOf {
  template <typename T>
  auto operator()(T x) const {
    return std::arg(x);
  }
};
struct MagnitudeOf {
  template <typename T>
  auto operator()(T x) const {
    return std::abs(x);
  }
};
struct ConjOf {
  template <typename T>
  T operator()(T x) const {
    return std::conj(x);
  }
};
struct ComplexFrom {
  template <typename R>
  auto operator()(R re, R im) const {
    return std::complex<R>(re, im);
  }
};

template <typename F, typename R>
void AddPart(kernel::KernelRegistry& registry, std::string_view op) {
  using C = std::complex<R>;
  registry.Add({.op = std::string(op),
                .types = {{"T", {kDTypeOf<C>}}, {"Tout", {kDTypeOf<R>}}},
                .factory = kernel::FunctionKernel(&UnaryKernel<F, C, R>)});
}

template <typename R>
void AddAll(kernel::KernelRegistry& registry) {
  using C = std::complex<R>;
  AddPart<RealOf, R>(registry, "Real");
  AddPart<ImagOf, R>(registry, "Imag");
  AddPart<AngleOf, R>(registry, "Angle");
  AddPart<MagnitudeOf, R>(registry, "ComplexAbs");
  AddKernel<C>(registry, "Conj", &UnaryKernel<ConjOf, C, C>);
  registry.Add({.op = "Complex",
                .types = {{"T", {kDTypeOf<R>}}, {"Tout", {kDTypeOf<C>}}},
                .factory = kernel::FunctionKernel(&BinaryKernel<ComplexFrom, R, C>)});
}

}  // namespace

void RegisterComplexKernels(kernel::KernelRegistry& registry) {
  AddAll<float>(registry);
  AddAll<double>(registry);
}

}  // namespace rheo::ops
