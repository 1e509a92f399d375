// The operations that hand tensors from node to node and from step to step: queues, stacks, staging
// areas, barriers, accumulators, partitioning and stitching.
#ifndef RHEO_OPS_DATA_FLOW_REGISTER_H_
#define RHEO_OPS_DATA_FLOW_REGISTER_H_

#include <string_view>
#include <vector>

#include "rheo/autodiff/gradient_registry.h"
#include "rheo/kernel/kernel_registry.h"
#include "rheo/op/op_registry.h"

namespace rheo::ops {

// Sets the shape functions. NOT_FOUND when `registry` lacks the public ops.
Status RegisterDataFlowSchemas(op::OpRegistry& registry);
void RegisterDataFlowKernels(kernel::KernelRegistry& registry);
void RegisterDataFlowGradients(autodiff::GradientRegistry& registry);

// Every op of this family, ordered by name.
std::vector<std::string_view> DataFlowOps();

}  // namespace rheo::ops

#endif  // RHEO_OPS_DATA_FLOW_REGISTER_H_
