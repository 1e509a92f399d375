#include "rheo/ops/training/register.h"

#include "rheo/op/shape_context.h"
#include "rheo/ops/training/apply_kernel.h"

namespace rheo::ops {
namespace {

constexpr std::string_view kOps[] = {
    "ApplyAdaMax",
    "ApplyAdadelta",
    "ApplyAdagrad",
    "ApplyAdagradDA",
    "ApplyAdagradV2",
    "ApplyAdam",
    "ApplyAddSign",
    "ApplyCenteredRMSProp",
    "ApplyFtrl",
    "ApplyFtrlV2",
    "ApplyGradientDescent",
    "ApplyMomentum",
    "ApplyPowerSign",
    "ApplyProximalAdagrad",
    "ApplyProximalGradientDescent",
    "ApplyRMSProp",
    "ResourceApplyAdaMax",
    "ResourceApplyAdadelta",
    "ResourceApplyAdagrad",
    "ResourceApplyAdagradDA",
    "ResourceApplyAdagradV2",
    "ResourceApplyAdam",
    "ResourceApplyAdamWithAmsgrad",
    "ResourceApplyAddSign",
    "ResourceApplyCenteredRMSProp",
    "ResourceApplyFtrl",
    "ResourceApplyFtrlV2",
    "ResourceApplyGradientDescent",
    "ResourceApplyKerasMomentum",
    "ResourceApplyMomentum",
    "ResourceApplyPowerSign",
    "ResourceApplyProximalAdagrad",
    "ResourceApplyProximalGradientDescent",
    "ResourceApplyRMSProp",
    "ResourceSparseApplyAdadelta",
    "ResourceSparseApplyAdagrad",
    "ResourceSparseApplyAdagradDA",
    "ResourceSparseApplyAdagradV2",
    "ResourceSparseApplyCenteredRMSProp",
    "ResourceSparseApplyFtrl",
    "ResourceSparseApplyFtrlV2",
    "ResourceSparseApplyKerasMomentum",
    "ResourceSparseApplyMomentum",
    "ResourceSparseApplyProximalAdagrad",
    "ResourceSparseApplyProximalGradientDescent",
    "ResourceSparseApplyRMSProp",
    "SparseApplyAdadelta",
    "SparseApplyAdagrad",
    "SparseApplyAdagradDA",
    "SparseApplyAdagradV2",
    "SparseApplyCenteredRMSProp",
    "SparseApplyFtrl",
    "SparseApplyFtrlV2",
    "SparseApplyMomentum",
    "SparseApplyProximalAdagrad",
    "SparseApplyProximalGradientDescent",
    "SparseApplyRMSProp",
};

// Reference forms give back the variable; resource forms give nothing.
Status ApplyShape(op::ShapeContext& c) {
  if (c.num_outputs() > 0) c.set_output(0, c.input(0));
  return OkStatus();
}

}  // namespace

Status RegisterTrainingSchemas(op::OpRegistry& registry) {
  for (const std::string_view op : kOps) {
    RHEO_RETURN_IF_ERROR(registry.SetShapeFn(op, &ApplyShape));
  }
  return OkStatus();
}

void RegisterTrainingKernels(kernel::KernelRegistry& registry) {
  TableKernels kernels(registry);
  AddBasicRules(kernels);
  AddAdaptiveRules(kernels);
  AddProximalRules(kernels);
}

void RegisterTrainingGradients(autodiff::GradientRegistry& registry) {
  for (const std::string_view op : kOps) registry.AddNotDifferentiable(op);
}

std::vector<std::string_view> TrainingOps() { return {std::begin(kOps), std::end(kOps)}; }

}  // namespace rheo::ops
