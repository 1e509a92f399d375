#include "rheo/ops/fused/register.h"

#include "rheo/op/shape_context.h"
#include "rheo/ops/fused/kernels.h"
#include "rheo/ops/math/matmul_shapes.h"

namespace rheo::ops {

Status RegisterFusedSchemas(op::OpRegistry& registry) {
  RHEO_RETURN_IF_ERROR(registry.SetShapeFn("_FusedMatMul", MatMulShape));
  return registry.SetShapeFn("_UnaryOpsComposition", op::UnchangedShape);
}

void RegisterFusedKernels(kernel::KernelRegistry& registry) {
  RegisterFusedMatMulKernels(registry);
  RegisterUnaryCompositionKernels(registry);
}

void RegisterFusedGradients(autodiff::GradientRegistry&) {}

}  // namespace rheo::ops
