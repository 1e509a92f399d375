#include "rheo/ops/extra/register.h"

#include <utility>

#include "rheo/ops/extra/extra_ops.h"

namespace rheo::ops {
namespace {

// One line for each op.
constexpr ExtraOp (*kOps[])() = {
    &HuberLossOp,
};

std::string_view NameOf(const ExtraOp& op) {
  return op.signature.substr(0, op.signature.find('\t'));
}

}  // namespace

Status RegisterExtraSchemas(op::OpRegistry& registry) {
  for (const auto make : kOps) {
    const ExtraOp extra = make();
    RHEO_ASSIGN_OR_RETURN(op::OpSchema schema, op::ParseSignature(extra.signature));
    schema.shape_fn = extra.shape;
    RHEO_RETURN_IF_ERROR(registry.Add(std::move(schema)));
  }
  return OkStatus();
}

void RegisterExtraKernels(kernel::KernelRegistry& registry) {
  for (const auto make : kOps) make().add_kernels(registry);
}

void RegisterExtraGradients(autodiff::GradientRegistry& registry) {
  for (const auto make : kOps) {
    const ExtraOp extra = make();
    if (extra.gradient != nullptr) {
      AddGradient(registry, NameOf(extra), extra.gradient);
    } else {
      registry.AddNotDifferentiable(NameOf(extra));
    }
  }
}

}  // namespace rheo::ops
