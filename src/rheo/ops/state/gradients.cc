#include "rheo/builder/scope.h"
#include "rheo/ops/state/register.h"

namespace rheo::ops {
namespace {

using builder::AddOp;
using builder::Operation;
using builder::Output;
using builder::Scope;
using Outputs = std::vector<Output>;

// The gradient of what a handle names is the gradient of the value read from it.
StatusOr<Outputs> ReadVariableGrad(const Scope&, const Operation&, const Outputs& grads) {
  return Outputs{grads[0]};
}

// Rows that were gathered more than once add up; the others get zeros.
StatusOr<Outputs> ResourceGatherGrad(const Scope& scope, const Operation& op,
                                     const Outputs& grads) {
  const Output handle = op.input(0);
  const Output indices = op.input(1);
  if (op.node()->attrs().GetOr<int64_t>("batch_dims", 0) != 0) {
    return Unimplemented("the gradient of ResourceGather with batch_dims");
  }
  const Output shape = AddOp(scope, "VariableShape", {handle});
  const Output first = AddOp(
      scope, "StridedSlice",
      {shape, Const(scope, Tensor::Vector<int32_t>({0})),
       Const(scope, Tensor::Vector<int32_t>({1})), Const(scope, Tensor::Vector<int32_t>({1}))},
      {{"shrink_axis_mask", 1}});
  return Outputs{AddOp(scope, "UnsortedSegmentSum", {grads[0], indices, first}), Output()};
}

}  // namespace

void RegisterStateGradients(autodiff::GradientRegistry& registry) {
  registry.Add("ReadVariableOp", &ReadVariableGrad);
  registry.Add("ResourceGather", &ResourceGatherGrad);
  for (const char* op :
       {"Assign", "AssignAdd", "AssignSub", "CountUpTo", "IsVariableInitialized",
        "ResourceCountUpTo", "ScatterAdd", "ScatterDiv", "ScatterMax", "ScatterMin", "ScatterMul",
        "ScatterNdAdd", "ScatterNdSub", "ScatterNdUpdate", "ScatterSub", "ScatterUpdate",
        "VarHandleOp", "VarIsInitializedOp", "VariableShape"}) {
    registry.AddNotDifferentiable(op);
  }
}

}  // namespace rheo::ops
