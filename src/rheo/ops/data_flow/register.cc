#include "rheo/ops/data_flow/register.h"

#include "rheo/op/shape_context.h"
#include "rheo/ops/data_flow/kernels.h"

namespace rheo::ops {
namespace {

using op::ShapeContext;

// A resource handle is a scalar, a reference handle two strings.
Status HandleShape(ShapeContext& c) {
  c.set_output(0, IsRef(c.types().outputs[0]) ? PartialShape{2} : PartialShape::OfRank(0));
  return OkStatus();
}

Status PushShape(ShapeContext& c) {
  c.set_output(0, c.input(1));
  return OkStatus();
}

// Indices, values and shape of a sparse gradient.
Status SparseGradientShapes(ShapeContext& c) {
  c.set_output(0, PartialShape::OfRank(1));
  c.set_output(1, PartialShape());
  c.set_output(2, PartialShape::OfRank(1));
  return OkStatus();
}

// Indices, keys, then a batch of each component.
Status BarrierTakeShapes(ShapeContext& c) {
  c.set_output(0, PartialShape::OfRank(1));
  c.set_output(1, PartialShape::OfRank(1));
  for (int i = 2; i < c.num_outputs(); ++i) c.set_output(i, PartialShape());
  return OkStatus();
}

struct NamedShape {
  std::string_view op;
  Status (*shape_fn)(ShapeContext&);
};

constexpr NamedShape kShapes[] = {
    {"AccumulatorApplyGradient", &op::NoOutputs},
    {"AccumulatorNumAccumulated", &op::ScalarShape},
    {"AccumulatorSetGlobalStep", &op::NoOutputs},
    {"AccumulatorTakeGradient", &op::UnknownShape},
    {"Barrier", &HandleShape},
    {"BarrierClose", &op::NoOutputs},
    {"BarrierIncompleteSize", &op::ScalarShape},
    {"BarrierInsertMany", &op::NoOutputs},
    {"BarrierReadySize", &op::ScalarShape},
    {"BarrierTakeMany", &BarrierTakeShapes},
    {"ConditionalAccumulator", &HandleShape},
    {"FIFOQueue", &HandleShape},
    {"FIFOQueueV2", &HandleShape},
    {"FakeQueue", &HandleShape},
    {"MapClear", &op::NoOutputs},
    {"MapIncompleteSize", &op::ScalarShape},
    {"MapPeek", &op::UnknownShape},
    {"MapSize", &op::ScalarShape},
    {"MapStage", &op::NoOutputs},
    {"MapUnstage", &op::UnknownShape},
    {"MapUnstageNoKey", &op::UnknownShape},
    {"OrderedMapClear", &op::NoOutputs},
    {"OrderedMapIncompleteSize", &op::ScalarShape},
    {"OrderedMapPeek", &op::UnknownShape},
    {"OrderedMapSize", &op::ScalarShape},
    {"OrderedMapStage", &op::NoOutputs},
    {"OrderedMapUnstage", &op::UnknownShape},
    {"OrderedMapUnstageNoKey", &op::UnknownShape},
    {"PaddingFIFOQueue", &HandleShape},
    {"PaddingFIFOQueueV2", &HandleShape},
    {"PriorityQueue", &HandleShape},
    {"PriorityQueueV2", &HandleShape},
    {"QueueClose", &op::NoOutputs},
    {"QueueCloseV2", &op::NoOutputs},
    {"QueueDequeue", &op::UnknownShape},
    {"QueueDequeueMany", &op::UnknownShape},
    {"QueueDequeueManyV2", &op::UnknownShape},
    {"QueueDequeueUpTo", &op::UnknownShape},
    {"QueueDequeueUpToV2", &op::UnknownShape},
    {"QueueDequeueV2", &op::UnknownShape},
    {"QueueEnqueue", &op::NoOutputs},
    {"QueueEnqueueMany", &op::NoOutputs},
    {"QueueEnqueueManyV2", &op::NoOutputs},
    {"QueueEnqueueV2", &op::NoOutputs},
    {"QueueIsClosed", &op::ScalarShape},
    {"QueueIsClosedV2", &op::ScalarShape},
    {"QueueSize", &op::ScalarShape},
    {"QueueSizeV2", &op::ScalarShape},
    {"RandomShuffleQueue", &HandleShape},
    {"RandomShuffleQueueV2", &HandleShape},
    {"ResourceAccumulatorApplyGradient", &op::NoOutputs},
    {"ResourceAccumulatorNumAccumulated", &op::ScalarShape},
    {"ResourceAccumulatorSetGlobalStep", &op::NoOutputs},
    {"ResourceAccumulatorTakeGradient", &op::UnknownShape},
    {"ResourceConditionalAccumulator", &HandleShape},
    {"SparseAccumulatorApplyGradient", &op::NoOutputs},
    {"SparseAccumulatorTakeGradient", &SparseGradientShapes},
    {"SparseConditionalAccumulator", &HandleShape},
    {"Stack", &HandleShape},
    {"StackClose", &op::NoOutputs},
    {"StackCloseV2", &op::NoOutputs},
    {"StackPop", &op::UnknownShape},
    {"StackPopV2", &op::UnknownShape},
    {"StackPush", &PushShape},
    {"StackPushV2", &PushShape},
    {"StackV2", &HandleShape},
    {"Stage", &op::NoOutputs},
    {"StageClear", &op::NoOutputs},
    {"StagePeek", &op::UnknownShape},
    {"StageSize", &op::ScalarShape},
    {"Unstage", &op::UnknownShape},
};

}  // namespace

Status RegisterDataFlowSchemas(op::OpRegistry& registry) {
  for (const NamedShape& s : kShapes) RHEO_RETURN_IF_ERROR(registry.SetShapeFn(s.op, s.shape_fn));
  return OkStatus();
}

void RegisterDataFlowKernels(kernel::KernelRegistry& registry) {
  TableKernels kernels(registry);
  AddQueueKernels(kernels);
  AddStackKernels(kernels);
  AddAccumulatorKernels(kernels);
  AddStagingMapKernels(kernels);
  AddBarrierKernels(kernels);
  AddStagingKernels(kernels);
}

std::vector<std::string_view> DataFlowOps() {
  std::vector<std::string_view> ops;
  for (const NamedShape& s : kShapes) ops.push_back(s.op);
  return ops;
}

}  // namespace rheo::ops
