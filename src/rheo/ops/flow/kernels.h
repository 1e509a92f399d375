// The parts of RegisterFlowKernels, one per file.
#ifndef RHEO_OPS_FLOW_KERNELS_H_
#define RHEO_OPS_FLOW_KERNELS_H_

#include "rheo/ops/common/table_kernels.h"

namespace rheo::ops {

void AddControlFlowKernels(TableKernels& kernels);  // control_flow.cc
void AddTransferKernels(TableKernels& kernels);     // transfer.cc
void AddArgumentKernels(TableKernels& kernels);     // argument.cc

}  // namespace rheo::ops

#endif  // RHEO_OPS_FLOW_KERNELS_H_
