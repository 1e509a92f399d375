// The parts of RegisterRandomKernels, one per file.
#ifndef RHEO_OPS_RANDOM_KERNELS_H_
#define RHEO_OPS_RANDOM_KERNELS_H_

#include "rheo/ops/common/table_kernels.h"

namespace rheo::ops {

void AddStatefulRandomKernels(TableKernels& kernels);   // stateful.cc
void AddStatelessRandomKernels(TableKernels& kernels);  // stateless.cc
void AddRandomShuffleKernels(TableKernels& kernels);    // shuffle.cc

}  // namespace rheo::ops

#endif  // RHEO_OPS_RANDOM_KERNELS_H_
