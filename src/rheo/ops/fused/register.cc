#include "rheo/ops/fused/register.h"

#include "rheo/op/shape_context.h"
#include "rheo/ops/fused/kernels.h"
#include "rheo/ops/math/matmul_shapes.h"
#include "rheo/ops/nn/conv2d.h"

namespace rheo::ops {

namespace {

Status ShapeOfAttr(op::ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, c.attrs().Get<PartialShape>("shape"));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

}  // namespace

Status RegisterFusedSchemas(op::OpRegistry& registry) {
  RHEO_RETURN_IF_ERROR(registry.SetShapeFn("_FusedMatMul", MatMulShape));
  RHEO_RETURN_IF_ERROR(registry.SetShapeFn("_FusedConv2D", Conv2DShape));
  RHEO_RETURN_IF_ERROR(registry.SetShapeFn("_ParallelConcatStart", ShapeOfAttr));
  RHEO_RETURN_IF_ERROR(registry.SetShapeFn("_ParallelConcatUpdate", op::UnchangedShape));
  return registry.SetShapeFn("_UnaryOpsComposition", op::UnchangedShape);
}

void RegisterFusedKernels(kernel::KernelRegistry& registry) {
  RegisterFusedMatMulKernels(registry);
  RegisterFusedConv2DKernels(registry);
  RegisterParallelConcatKernels(registry);
  RegisterUnaryCompositionKernels(registry);
}

void RegisterFusedGradients(autodiff::GradientRegistry&) {}

}  // namespace rheo::ops
