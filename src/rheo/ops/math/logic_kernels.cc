// Operations on bool.
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/math/kernels.h"

namespace rheo::ops {
namespace {

struct Not {
  bool operator()(bool x) const { return !x; }
};
struct And {
  bool operator()(bool x, bool y) const { return x && y; }
};
struct Or {
  bool operator()(bool x, bool y) const { return x || y; }
};

}  // namespace

void RegisterLogicKernels(kernel::KernelRegistry& registry) {
  registry.Add(
      {.op = "LogicalNot", .factory = kernel::FunctionKernel(&UnaryKernel<Not, bool, bool>)});
  registry.Add(
      {.op = "LogicalAnd", .factory = kernel::FunctionKernel(&BinaryKernel<And, bool, bool>)});
  registry.Add(
      {.op = "LogicalOr", .factory = kernel::FunctionKernel(&BinaryKernel<Or, bool, bool>)});
}

}  // namespace rheo::ops
