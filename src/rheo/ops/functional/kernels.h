// The parts of RegisterFunctionalKernels, one per file.
#ifndef RHEO_OPS_FUNCTIONAL_KERNELS_H_
#define RHEO_OPS_FUNCTIONAL_KERNELS_H_

#include "rheo/ops/common/table_kernels.h"

namespace rheo::ops {

void AddCallKernels(TableKernels& kernels);   // call_kernels.cc
void AddWhileKernels(TableKernels& kernels);  // while_kernel.cc

}  // namespace rheo::ops

#endif  // RHEO_OPS_FUNCTIONAL_KERNELS_H_
