// Trigonometric and hyperbolic functions and their inverses.
#include <cmath>

#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/math/kernels.h"

namespace rheo::ops {

void RegisterTrigonometricKernels(kernel::KernelRegistry& registry) {
  using List = FloatComplexTypes;
  AddUnary<List, kCostly>(registry, "Sin", [](auto x) { return std::sin(x); });
  AddUnary<List, kCostly>(registry, "Cos", [](auto x) { return std::cos(x); });
  AddUnary<List, kCostly>(registry, "Tan", [](auto x) { return std::tan(x); });
  AddUnary<List, kCostly>(registry, "Asin", [](auto x) { return std::asin(x); });
  AddUnary<List, kCostly>(registry, "Acos", [](auto x) { return std::acos(x); });
  AddUnary<List, kCostly>(registry, "Atan", [](auto x) { return std::atan(x); });
  AddUnary<List, kCostly>(registry, "Sinh", [](auto x) { return std::sinh(x); });
  AddUnary<List, kCostly>(registry, "Cosh", [](auto x) { return std::cosh(x); });
  AddUnary<List, kCostly>(registry, "Asinh", [](auto x) { return std::asinh(x); });
  AddUnary<List, kCostly>(registry, "Acosh", [](auto x) { return std::acosh(x); });
  AddUnary<List, kCostly>(registry, "Atanh", [](auto x) { return std::atanh(x); });
  AddBinary<FloatTypes, kCostly>(registry, "Atan2",
                                 [](auto y, auto x) { return std::atan2(y, x); });
}

}  // namespace rheo::ops
