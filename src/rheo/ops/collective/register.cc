#include "rheo/ops/collective/register.h"

#include "rheo/op/shape_context.h"
#include "rheo/ops/collective/kernels.h"

namespace rheo::ops {
namespace {

using op::ShapeContext;

Status ShapeOfAttr(ShapeContext& c) {
  c.set_output(0, c.attrs().GetOr<PartialShape>("shape", PartialShape()));
  return OkStatus();
}

Status ShapeOfLastInput(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(c.num_inputs() - 1));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

struct NamedShape {
  std::string_view op;
  Status (*shape_fn)(ShapeContext&);
};

constexpr NamedShape kShapes[] = {
    {"CollectiveBcastRecv", &ShapeOfAttr},        {"CollectiveBcastRecvV2", &ShapeOfLastInput},
    {"CollectiveBcastSend", &op::UnchangedShape}, {"CollectiveBcastSendV2", &op::UnchangedShape},
    {"CollectiveReduce", &op::UnchangedShape},    {"CollectiveReduceV2", &op::UnchangedShape},
};

}  // namespace

Status RegisterCollectiveSchemas(op::OpRegistry& registry) {
  for (const NamedShape& s : kShapes) RHEO_RETURN_IF_ERROR(registry.SetShapeFn(s.op, s.shape_fn));
  return OkStatus();
}

void RegisterCollectiveKernels(kernel::KernelRegistry& registry) {
  TableKernels kernels(registry);
  AddReduceKernels(kernels);
  AddBroadcastKernels(kernels);
}

// As with TensorFlow, gradients stop at a collective.
void RegisterCollectiveGradients(autodiff::GradientRegistry&) {}

std::vector<std::string_view> CollectiveOps() {
  std::vector<std::string_view> ops;
  for (const NamedShape& s : kShapes) ops.push_back(s.op);
  return ops;
}

}  // namespace rheo::ops
