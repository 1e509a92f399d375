#include "rheo/ops/math/special_functions.h"

#include <math.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace rheo::ops {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Tail of the standard normal distribution, exact for small x too.
double NormalTail(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

// A start for InverseNormal with p <= 1/2: the expansion of Abramowitz and Stegun, 26.2.23
// (absolute error below 4.5e-4).
double CoarseInverseNormal(double p) {
  const double t = std::sqrt(-2 * std::log(p));
  return -(t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                   (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
}

}  // namespace

double LogGamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

double Digamma(double x) {
  if (x <= 0) {
    if (x == std::floor(x)) return kNan;
    // Reflection: ψ(1 - x) - ψ(x) = π / tan(πx).
    return Digamma(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * x);
  }
  double shift = 0;
  for (; x < 10; ++x) shift -= 1 / x;
  // The asymptotic series with Bernoulli numbers.
  const double y = 1 / (x * x);
  const double series =
      y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132)))));
  return shift + std::log(x) - 0.5 / x - series;
}

double InverseNormal(double p) {
  if (!(p >= 0 && p <= 1)) return kNan;
  if (p == 0) return -kInfinity;
  if (p == 1) return kInfinity;
  if (p > 0.5) return -InverseNormal(1 - p);
  double x = CoarseInverseNormal(p);
  // Halley's method on NormalTail(x) = p; each turn triples the number of right digits.
  for (int i = 0; i < 3; ++i) {
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    if (density == 0) break;
    const double step = (NormalTail(x) - p) / density;
    x -= step / (1 + x * step / 2);
  }
  return x;
}

double InverseErf(double x) {
  if (!(x >= -1 && x <= 1)) return kNan;
  if (std::abs(x) == 1) return x * kInfinity;
  if (std::abs(x) > 0.5) {
    // erf(y) = x means that the normal distribution is (1 + x) / 2 at y·√2.
    return std::copysign(InverseNormal((1 - std::abs(x)) / 2), x) / std::numbers::sqrt2;
  }
  // Newton's method, which converges from 0 since erf is nearly straight there.
  double y = x * std::sqrt(std::numbers::pi) / 2;
  for (int i = 0; i < 6; ++i) {
    y -= (std::erf(y) - x) * std::sqrt(std::numbers::pi) / 2 * std::exp(y * y);
  }
  return y;
}

}  // namespace rheo::ops
