// The Adam, Adagrad, RMSProp and Adadelta families: a step size for each element.
#include <algorithm>
#include <cmath>
#include <complex>

#include "rheo/ops/training/apply_kernel.h"

namespace rheo::ops {
namespace {

template <size_t n>
using Names = std::array<std::string_view, n>;

// Kingma and Ba, "Adam: a method for stochastic optimization", with the corrections of the moments
// drawn into the step size.
template <typename C>
struct Adam {
  static constexpr int kNumSlots = 2;
  static constexpr Names<6> kScalars = {"beta1_power", "beta2_power", "lr",
                                        "beta1",       "beta2",       "epsilon"};
  Adam(const std::array<C, 6>& s, const ApplyOptions& options)
      : alpha(s[2] * std::sqrt(C(1) - s[1]) / (C(1) - s[0])),
        beta1(s[3]),
        beta2(s[4]),
        epsilon(s[5]),
        nesterov(options.use_nesterov) {}
  C Update(C var, std::array<C, 2>& slots, C g) const {
    C& m = slots[0];
    C& v = slots[1];
    m += (g - m) * (C(1) - beta1);
    v += (g * g - v) * (C(1) - beta2);
    const C direction = nesterov ? g * (C(1) - beta1) + beta1 * m : m;
    return var - direction * alpha / (std::sqrt(v) + epsilon);
  }
  const C alpha, beta1, beta2, epsilon;
  const bool nesterov;
};

template <typename C>
struct AdamWithAmsgrad {
  static constexpr int kNumSlots = 3;
  static constexpr Names<6> kScalars = Adam<C>::kScalars;
  AdamWithAmsgrad(const std::array<C, 6>& s, const ApplyOptions& options) : adam(s, options) {}
  C Update(C var, std::array<C, 3>& slots, C g) const {
    C& m = slots[0];
    C& v = slots[1];
    C& largest = slots[2];
    m += (g - m) * (C(1) - adam.beta1);
    v += (g * g - v) * (C(1) - adam.beta2);
    largest = std::max(largest, v);
    return var - m * adam.alpha / (std::sqrt(largest) + adam.epsilon);
  }
  const Adam<C> adam;
};

template <typename C>
struct AdaMax {
  static constexpr int kNumSlots = 2;
  static constexpr Names<5> kScalars = {"beta1_power", "lr", "beta1", "beta2", "epsilon"};
  AdaMax(const std::array<C, 5>& s, const ApplyOptions&)
      : rate(s[1] / (C(1) - s[0])), beta1(s[2]), beta2(s[3]), epsilon(s[4]) {}
  C Update(C var, std::array<C, 2>& slots, C g) const {
    C& m = slots[0];
    C& v = slots[1];
    m += (g - m) * (C(1) - beta1);
    v = std::max(beta2 * v, std::abs(g));
    return var - rate * m / (v + epsilon);
  }
  const C rate, beta1, beta2, epsilon;
};

template <typename C>
struct Adagrad {
  static constexpr int kNumSlots = 1;
  static constexpr Names<1> kScalars = {"lr"};
  Adagrad(const std::array<C, 1>& s, const ApplyOptions& options)
      : lr(s[0]), update_slots(options.update_slots) {}
  C Update(C var, std::array<C, 1>& slots, C g) const {
    C& accum = slots[0];
    if (update_slots) accum += g * g;
    return var - g * lr / std::sqrt(accum);
  }
  const C lr;
  const bool update_slots;
};

template <typename C>
struct AdagradV2 {
  static constexpr int kNumSlots = 1;
  static constexpr Names<2> kScalars = {"lr", "epsilon"};
  AdagradV2(const std::array<C, 2>& s, const ApplyOptions& options)
      : lr(s[0]), epsilon(s[1]), update_slots(options.update_slots) {}
  C Update(C var, std::array<C, 1>& slots, C g) const {
    C& accum = slots[0];
    if (update_slots) accum += g * g;
    return var - g * lr / (std::sqrt(accum) + epsilon);
  }
  const C lr, epsilon;
  const bool update_slots;
};

template <typename C>
struct RmsProp {
  static constexpr int kNumSlots = 2;
  static constexpr Names<4> kScalars = {"lr", "rho", "momentum", "epsilon"};
  RmsProp(const std::array<C, 4>& s, const ApplyOptions&)
      : lr(s[0]), rho(s[1]), momentum(s[2]), epsilon(s[3]) {}
  C Update(C var, std::array<C, 2>& slots, C g) const {
    C& ms = slots[0];
    C& mom = slots[1];
    ms += (g * g - ms) * (C(1) - rho);
    mom = mom * momentum + g * lr / std::sqrt(ms + epsilon);
    return var - mom;
  }
  const C lr, rho, momentum, epsilon;
};

template <typename C>
struct CenteredRmsProp {
  static constexpr int kNumSlots = 3;
  static constexpr Names<4> kScalars = RmsProp<C>::kScalars;
  CenteredRmsProp(const std::array<C, 4>& s, const ApplyOptions&)
      : lr(s[0]), rho(s[1]), momentum(s[2]), epsilon(s[3]) {}
  C Update(C var, std::array<C, 3>& slots, C g) const {
    C& mg = slots[0];
    C& ms = slots[1];
    C& mom = slots[2];
    ms += (g * g - ms) * (C(1) - rho);
    mg += (g - mg) * (C(1) - rho);
    mom = mom * momentum + g * lr / std::sqrt(ms - mg * mg + epsilon);
    return var - mom;
  }
  const C lr, rho, momentum, epsilon;
};

// Zeiler, "ADADELTA: an adaptive learning rate method".
template <typename C>
struct Adadelta {
  static constexpr int kNumSlots = 2;
  static constexpr Names<3> kScalars = {"lr", "rho", "epsilon"};
  Adadelta(const std::array<C, 3>& s, const ApplyOptions&) : lr(s[0]), rho(s[1]), epsilon(s[2]) {}
  C Update(C var, std::array<C, 2>& slots, C g) const {
    C& accum = slots[0];
    C& accum_update = slots[1];
    accum = accum * rho + g * g * (C(1) - rho);
    const C update = std::sqrt(accum_update + epsilon) / std::sqrt(accum + epsilon) * g;
    accum_update = accum_update * rho + update * update * (C(1) - rho);
    return var - update * lr;
  }
  const C lr, rho, epsilon;
};

}  // namespace

void AddAdaptiveRules(TableKernels& kernels) {
  using All = TypeList<float, double, Half, Bfloat16, std::complex<float>, std::complex<double>>;
  AddRule<Adam, All>(kernels, {"ApplyAdam", "ResourceApplyAdam"});
  AddRule<AdamWithAmsgrad, FloatTypes>(kernels, {"ResourceApplyAdamWithAmsgrad"});
  AddRule<AdaMax, FloatTypes>(kernels, {"ApplyAdaMax", "ResourceApplyAdaMax"});
  AddRule<Adagrad, All>(kernels, {"ApplyAdagrad", "ResourceApplyAdagrad", "SparseApplyAdagrad",
                                  "ResourceSparseApplyAdagrad"});
  AddRule<AdagradV2, All>(kernels, {"ApplyAdagradV2", "ResourceApplyAdagradV2",
                                    "SparseApplyAdagradV2", "ResourceSparseApplyAdagradV2"});
  AddRule<RmsProp, All>(kernels, {"ApplyRMSProp", "ResourceApplyRMSProp", "SparseApplyRMSProp",
                                  "ResourceSparseApplyRMSProp"});
  AddRule<CenteredRmsProp, All>(
      kernels, {"ApplyCenteredRMSProp", "ResourceApplyCenteredRMSProp",
                "SparseApplyCenteredRMSProp", "ResourceSparseApplyCenteredRMSProp"});
  AddRule<Adadelta, All>(kernels, {"ApplyAdadelta", "ResourceApplyAdadelta", "SparseApplyAdadelta",
                                   "ResourceSparseApplyAdadelta"});
}

}  // namespace rheo::ops
