// GradientDescent, Momentum, KerasMomentum, AddSign and PowerSign.
#include <cmath>

#include "rheo/ops/training/apply_kernel.h"

namespace rheo::ops {
namespace {

template <size_t n>
using Names = std::array<std::string_view, n>;

template <typename C>
struct GradientDescent {
  static constexpr int kNumSlots = 0;
  static constexpr Names<1> kScalars = {"alpha"};
  GradientDescent(const std::array<C, 1>& s, const ApplyOptions&) : alpha(s[0]) {}
  C Update(C var, std::array<C, 0>&, C g) const { return var - alpha * g; }
  const C alpha;
};

template <typename C>
struct Momentum {
  static constexpr int kNumSlots = 1;
  static constexpr Names<2> kScalars = {"lr", "momentum"};
  Momentum(const std::array<C, 2>& s, const ApplyOptions& options)
      : lr(s[0]), momentum(s[1]), nesterov(options.use_nesterov) {}
  C Update(C var, std::array<C, 1>& slots, C g) const {
    C& accum = slots[0];
    accum = accum * momentum + g;
    return nesterov ? var - (g * lr + accum * momentum * lr) : var - accum * lr;
  }
  const C lr;
  const C momentum;
  const bool nesterov;
};

template <typename C>
struct KerasMomentum {
  static constexpr int kNumSlots = 1;
  static constexpr Names<2> kScalars = {"lr", "momentum"};
  KerasMomentum(const std::array<C, 2>& s, const ApplyOptions& options)
      : lr(s[0]), momentum(s[1]), nesterov(options.use_nesterov) {}
  C Update(C var, std::array<C, 1>& slots, C g) const {
    C& accum = slots[0];
    accum = accum * momentum - g * lr;
    return nesterov ? var + (accum * momentum - g * lr) : var + accum;
  }
  const C lr;
  const C momentum;
  const bool nesterov;
};

template <typename C>
struct AddSign {
  static constexpr int kNumSlots = 1;
  static constexpr Names<4> kScalars = {"lr", "alpha", "sign_decay", "beta"};
  AddSign(const std::array<C, 4>& s, const ApplyOptions&)
      : lr(s[0]), alpha(s[1]), sign_decay(s[2]), beta(s[3]) {}
  C Update(C var, std::array<C, 1>& slots, C g) const {
    C& m = slots[0];
    m = m * beta + g * (C(1) - beta);
    return var - lr * (alpha + sign_decay * Sign(g) * Sign(m)) * g;
  }
  const C lr, alpha, sign_decay, beta;
};

template <typename C>
struct PowerSign {
  static constexpr int kNumSlots = 1;
  static constexpr Names<4> kScalars = {"lr", "logbase", "sign_decay", "beta"};
  PowerSign(const std::array<C, 4>& s, const ApplyOptions&)
      : lr(s[0]), logbase(s[1]), sign_decay(s[2]), beta(s[3]) {}
  C Update(C var, std::array<C, 1>& slots, C g) const {
    C& m = slots[0];
    m = m * beta + g * (C(1) - beta);
    return var - lr * std::exp(logbase * sign_decay * Sign(g) * Sign(m)) * g;
  }
  const C lr, logbase, sign_decay, beta;
};

}  // namespace

void AddBasicRules(TableKernels& kernels) {
  using All = TypeList<float, double, Half, Bfloat16, std::complex<float>, std::complex<double>>;
  AddRule<GradientDescent, All>(kernels, {"ApplyGradientDescent", "ResourceApplyGradientDescent"});
  AddRule<Momentum, All>(kernels, {"ApplyMomentum", "ResourceApplyMomentum", "SparseApplyMomentum",
                                   "ResourceSparseApplyMomentum"});
  AddRule<KerasMomentum, All>(kernels,
                              {"ResourceApplyKerasMomentum", "ResourceSparseApplyKerasMomentum"});
  AddRule<AddSign, FloatTypes>(kernels, {"ApplyAddSign", "ResourceApplyAddSign"});
  AddRule<PowerSign, FloatTypes>(kernels, {"ApplyPowerSign", "ResourceApplyPowerSign"});
}

}  // namespace rheo::ops
