// The parts of RegisterDataFlowKernels, one per file.
#ifndef RHEO_OPS_DATA_FLOW_KERNELS_H_
#define RHEO_OPS_DATA_FLOW_KERNELS_H_

#include "rheo/ops/common/table_kernels.h"

namespace rheo::ops {

void AddQueueKernels(TableKernels& kernels);        // queue_kernels.cc
void AddStackKernels(TableKernels& kernels);        // stack.cc
void AddAccumulatorKernels(TableKernels& kernels);  // accumulator_kernels.cc
void AddStagingKernels(TableKernels& kernels);      // staging_kernels.cc
void AddBarrierKernels(TableKernels& kernels);      // barrier_kernels.cc
void AddStagingMapKernels(TableKernels& kernels);   // staging_map_kernels.cc

}  // namespace rheo::ops

#endif  // RHEO_OPS_DATA_FLOW_KERNELS_H_
