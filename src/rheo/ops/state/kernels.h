// The parts of RegisterStateKernels, one per file.
#ifndef RHEO_OPS_STATE_KERNELS_H_
#define RHEO_OPS_STATE_KERNELS_H_

#include "rheo/ops/common/table_kernels.h"

namespace rheo::ops {

void AddRefVariableKernels(TableKernels& kernels);       // ref_variable.cc
void AddResourceVariableKernels(TableKernels& kernels);  // resource_variable.cc
void AddUpdateKernels(TableKernels& kernels);            // update.cc
void AddScatterUpdateKernels(TableKernels& kernels);     // scatter_update.cc

}  // namespace rheo::ops

#endif  // RHEO_OPS_STATE_KERNELS_H_
