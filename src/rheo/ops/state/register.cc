#include "rheo/ops/state/register.h"

#include "rheo/op/shape_context.h"
#include "rheo/ops/state/kernels.h"

namespace rheo::ops {
namespace {

using op::ShapeContext;

Status VariableShape(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, c.attrs().Get<PartialShape>("shape"));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

// validate_shape: what is known of either; otherwise the value's.
Status AssignShape(ShapeContext& c) {
  if (!c.attrs().GetOr<bool>("validate_shape", true)) {
    c.set_output(0, c.input(1));
    return OkStatus();
  }
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, c.input(0).Merge(c.input(1)));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

// Both inputs have the shape of the output.
Status UpdateShape(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, c.input(0).Merge(c.input(1)));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

// The shape of what a handle names is not known here.
Status RankOneShape(ShapeContext& c) {
  c.set_output(0, PartialShape::OfRank(1));
  return OkStatus();
}

struct NamedShape {
  std::string_view op;
  Status (*shape_fn)(ShapeContext&);
};

constexpr NamedShape kShapes[] = {
    {"Assign", &AssignShape},
    {"AssignAdd", &UpdateShape},
    {"AssignAddVariableOp", &op::NoOutputs},
    {"AssignSub", &UpdateShape},
    {"AssignSubVariableOp", &op::NoOutputs},
    {"AssignVariableOp", &op::NoOutputs},
    {"CountUpTo", &op::ScalarShape},
    {"DestroyResourceOp", &op::NoOutputs},
    {"DestroyTemporaryVariable", &op::UnchangedShape},
    {"DisableCopyOnRead", &op::NoOutputs},
    {"IsVariableInitialized", &op::ScalarShape},
    {"ReadVariableOp", &op::UnknownShape},
    {"ResourceCountUpTo", &op::ScalarShape},
    {"ResourceGather", &op::UnknownShape},
    {"ResourceGatherNd", &op::UnknownShape},
    {"ResourceScatterAdd", &op::NoOutputs},
    {"ResourceScatterDiv", &op::NoOutputs},
    {"ResourceScatterMax", &op::NoOutputs},
    {"ResourceScatterMin", &op::NoOutputs},
    {"ResourceScatterMul", &op::NoOutputs},
    {"ResourceScatterNdAdd", &op::NoOutputs},
    {"ResourceScatterNdSub", &op::NoOutputs},
    {"ResourceScatterNdUpdate", &op::NoOutputs},
    {"ResourceScatterSub", &op::NoOutputs},
    {"ResourceScatterUpdate", &op::NoOutputs},
    {"ScatterAdd", &op::UnchangedShape},
    {"ScatterDiv", &op::UnchangedShape},
    {"ScatterMax", &op::UnchangedShape},
    {"ScatterMin", &op::UnchangedShape},
    {"ScatterMul", &op::UnchangedShape},
    {"ScatterNdAdd", &op::UnchangedShape},
    {"ScatterNdSub", &op::UnchangedShape},
    {"ScatterNdUpdate", &op::UnchangedShape},
    {"ScatterSub", &op::UnchangedShape},
    {"ScatterUpdate", &op::UnchangedShape},
    {"TemporaryVariable", &VariableShape},
    {"VarHandleOp", &op::ScalarShape},
    {"VarIsInitializedOp", &op::ScalarShape},
    {"Variable", &VariableShape},
    {"VariableShape", &RankOneShape},
    {"VariableV2", &VariableShape},
    {"_ReadVariablesOp", &op::UnknownShape},
    {"_VarHandlesOp", &op::ScalarShape},
};

}  // namespace

Status RegisterStateSchemas(op::OpRegistry& registry) {
  for (const NamedShape& s : kShapes) RHEO_RETURN_IF_ERROR(registry.SetShapeFn(s.op, s.shape_fn));
  return OkStatus();
}

void RegisterStateKernels(kernel::KernelRegistry& registry) {
  TableKernels kernels(registry);
  AddRefVariableKernels(kernels);
  AddResourceVariableKernels(kernels);
  AddUpdateKernels(kernels);
  AddScatterUpdateKernels(kernels);
}

std::vector<std::string_view> StateOps() {
  std::vector<std::string_view> ops;
  for (const NamedShape& s : kShapes) ops.push_back(s.op);
  return ops;
}

}  // namespace rheo::ops
