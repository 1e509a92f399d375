#include "rheo/ops/collective/register.h"

#include "rheo/op/shape_context.h"
#include "rheo/ops/collective/kernels.h"
#include "rheo/ops/common/shape_tools.h"

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

// Where the size of the group is an input, dim 0 is not known.
Status GatheredShape(ShapeContext& c) {
  PartialShape shape = c.input(0);
  if (!shape.has_rank()) return op::UnknownShape(c);
  if (shape.rank() == 0) return InvalidArgument("input 0 must be at least rank 1 but is rank 0");
  const int64_t size = c.attrs().GetOr<int64_t>("group_size", kUnknownDim);
  shape.set_dim(0, size > 0 ? MultiplyDims(shape.dim(0), size) : kUnknownDim);
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
    {"CollectiveGather", &GatheredShape},         {"CollectiveGatherV2", &GatheredShape},
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
  AddAllGatherKernels(kernels);
}

// As with TensorFlow, gradients stop at a collective.
void RegisterCollectiveGradients(autodiff::GradientRegistry&) {}

std::vector<std::string_view> CollectiveOps() {
  std::vector<std::string_view> ops;
  for (const NamedShape& s : kShapes) ops.push_back(s.op);
  return ops;
}

}  // namespace rheo::ops
