// Order of two numbers.
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/math/kernels.h"

namespace rheo::ops {

void RegisterComparisonKernels(kernel::KernelRegistry& registry) {
  AddBinaryPredicate<RealTypes>(registry, "Less", [](auto x, auto y) { return x < y; });
  AddBinaryPredicate<RealTypes>(registry, "LessEqual", [](auto x, auto y) { return x <= y; });
  AddBinaryPredicate<RealTypes>(registry, "Greater", [](auto x, auto y) { return x > y; });
  AddBinaryPredicate<RealTypes>(registry, "GreaterEqual", [](auto x, auto y) { return x >= y; });
}

}  // namespace rheo::ops
