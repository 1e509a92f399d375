// Rules with L1 and L2 penalties: ProximalGradientDescent, ProximalAdagrad, AdagradDA, Ftrl.
#include <algorithm>
#include <cmath>

#include "rheo/ops/training/apply_kernel.h"

namespace rheo::ops {
namespace {

template <size_t n>
using Names = std::array<std::string_view, n>;

// x moved towards zero by `by`, and no farther.
template <typename C>
C Shrink(C x, C by) {
  return Sign(x) * std::max(std::abs(x) - by, C(0));
}

// The minimum of the penalties near `z`, for a step of size `rate`.
template <typename C>
C Proximal(C z, C rate, C l1, C l2) {
  return (l1 > C(0) ? Shrink(z, rate * l1) : z) / (C(1) + rate * l2);
}

template <typename C>
struct ProximalGradientDescent {
  static constexpr int kNumSlots = 0;
  static constexpr Names<3> kScalars = {"alpha", "l1", "l2"};
  ProximalGradientDescent(const std::array<C, 3>& s, const ApplyOptions&)
      : alpha(s[0]), l1(s[1]), l2(s[2]) {}
  C Update(C var, std::array<C, 0>&, C g) const { return Proximal(var - alpha * g, alpha, l1, l2); }
  const C alpha, l1, l2;
};

template <typename C>
struct ProximalAdagrad {
  static constexpr int kNumSlots = 1;
  static constexpr Names<3> kScalars = {"lr", "l1", "l2"};
  ProximalAdagrad(const std::array<C, 3>& s, const ApplyOptions&) : lr(s[0]), l1(s[1]), l2(s[2]) {}
  C Update(C var, std::array<C, 1>& slots, C g) const {
    C& accum = slots[0];
    accum += g * g;
    const C rate = lr / std::sqrt(accum);
    return Proximal(var - rate * g, rate, l1, l2);
  }
  const C lr, l1, l2;
};

// Duchi, Hazan and Singer, "Adaptive subgradient methods": dual averaging.
template <typename C>
struct AdagradDa {
  static constexpr int kNumSlots = 2;
  static constexpr Names<4> kScalars = {"lr", "l1", "l2", "global_step"};
  AdagradDa(const std::array<C, 4>& s, const ApplyOptions&)
      : lr(s[0]), l1(s[1]), l2(s[2]), step(s[3]) {}
  C Update(C, std::array<C, 2>& slots, C g) const {
    C& sum = slots[0];
    C& squares = slots[1];
    sum += g;
    squares += g * g;
    return -lr * Shrink(sum, l1 * step) / (l2 * step * lr + std::sqrt(squares));
  }
  const C lr, l1, l2, step;
};

// McMahan et al., "Ad click prediction: a view from the trenches".
template <typename C>
struct FtrlState {
  C lr, l1, l2, l2_shrinkage, lr_power;
  bool multiply_linear_by_lr;

  C Power(C n) const { return lr_power == C(-0.5) ? std::sqrt(n) : std::pow(n, -lr_power); }

  C Update(C var, std::array<C, 2>& slots, C g) const {
    C& accum = slots[0];
    C& linear = slots[1];
    const C next = accum + g * g;
    const C shrunk = g + C(2) * l2_shrinkage * var;
    const C change = Power(next) - Power(accum);
    accum = next;
    // With lr drawn out of `linear`, l1 and the denominator are multiplied by it.
    const C factor = multiply_linear_by_lr ? lr : C(1);
    linear += multiply_linear_by_lr ? shrunk * lr - change * var : shrunk - change / lr * var;
    const C denominator =
        (multiply_linear_by_lr ? Power(next) : Power(next) / lr) + C(2) * l2 * factor;
    const C bound = l1 * factor;
    return (std::clamp(linear, -bound, bound) - linear) / denominator;
  }
};

template <typename C>
struct Ftrl {
  static constexpr int kNumSlots = 2;
  static constexpr Names<4> kScalars = {"lr", "l1", "l2", "lr_power"};
  Ftrl(const std::array<C, 4>& s, const ApplyOptions& options)
      : state{s[0], s[1], s[2], C(0), s[3], options.multiply_linear_by_lr} {}
  C Update(C var, std::array<C, 2>& slots, C g) const { return state.Update(var, slots, g); }
  const FtrlState<C> state;
};

template <typename C>
struct FtrlV2 {
  static constexpr int kNumSlots = 2;
  static constexpr Names<5> kScalars = {"lr", "l1", "l2", "l2_shrinkage", "lr_power"};
  FtrlV2(const std::array<C, 5>& s, const ApplyOptions& options)
      : state{s[0], s[1], s[2], s[3], s[4], options.multiply_linear_by_lr} {}
  C Update(C var, std::array<C, 2>& slots, C g) const { return state.Update(var, slots, g); }
  const FtrlState<C> state;
};

}  // namespace

void AddProximalRules(TableKernels& kernels) {
  using Full = TypeList<float, double>;
  AddRule<ProximalGradientDescent, Full>(
      kernels,
      {"ApplyProximalGradientDescent", "ResourceApplyProximalGradientDescent",
       "SparseApplyProximalGradientDescent", "ResourceSparseApplyProximalGradientDescent"});
  AddRule<ProximalAdagrad, Full>(
      kernels, {"ApplyProximalAdagrad", "ResourceApplyProximalAdagrad",
                "SparseApplyProximalAdagrad", "ResourceSparseApplyProximalAdagrad"});
  AddRule<AdagradDa, Full>(kernels, {"ApplyAdagradDA", "ResourceApplyAdagradDA",
                                     "SparseApplyAdagradDA", "ResourceSparseApplyAdagradDA"});
  AddRule<Ftrl, FloatTypes>(
      kernels, {"ApplyFtrl", "ResourceApplyFtrl", "SparseApplyFtrl", "ResourceSparseApplyFtrl"});
  AddRule<FtrlV2, FloatTypes>(kernels, {"ApplyFtrlV2", "ResourceApplyFtrlV2", "SparseApplyFtrlV2",
                                        "ResourceSparseApplyFtrlV2"});
}

}  // namespace rheo::ops
