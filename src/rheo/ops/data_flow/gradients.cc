#include "rheo/ops/common/gradient_builder.h"
#include "rheo/ops/data_flow/register.h"

namespace rheo::ops {

void RegisterDataFlowGradients(autodiff::GradientRegistry& registry) {
  AddNoGradients(registry, {"QueueEnqueue",
                            "QueueEnqueueMany",
                            "QueueDequeue",
                            "QueueDequeueMany",
                            "QueueDequeueUpTo",
                            "QueueClose",
                            "QueueSize",
                            "QueueEnqueueV2",
                            "QueueEnqueueManyV2",
                            "QueueDequeueV2",
                            "QueueDequeueManyV2",
                            "QueueDequeueUpToV2",
                            "QueueCloseV2",
                            "QueueSizeV2",
                            "Stack",
                            "StackPush",
                            "StackPop",
                            "StackClose",
                            "StackV2",
                            "StackPushV2",
                            "StackPopV2",
                            "StackCloseV2",
                            "AccumulatorApplyGradient",
                            "AccumulatorTakeGradient",
                            "AccumulatorNumAccumulated",
                            "AccumulatorSetGlobalStep",
                            "SparseAccumulatorApplyGradient",
                            "SparseAccumulatorTakeGradient"});
}

}  // namespace rheo::ops
