// Functions that the C++ library lacks.
#ifndef RHEO_OPS_MATH_SPECIAL_FUNCTIONS_H_
#define RHEO_OPS_MATH_SPECIAL_FUNCTIONS_H_

namespace rheo::ops {

// log |Γ(x)|, safe with threads; infinity at 0, -1, -2, …
double LogGamma(double x);
// The derivative of LogGamma; NaN at 0, -1, -2, …
double Digamma(double x);
// y with erf(y) = x; ±infinity at ±1, NaN beyond.
double InverseErf(double x);
// y such that the standard normal distribution is x at y; ±infinity at 1 and 0, NaN outside.
double InverseNormal(double x);

}  // namespace rheo::ops

#endif  // RHEO_OPS_MATH_SPECIAL_FUNCTIONS_H_
