// The parts of RegisterListKernels, one per file.
#ifndef RHEO_OPS_LIST_KERNELS_H_
#define RHEO_OPS_LIST_KERNELS_H_

#include "rheo/ops/common/table_kernels.h"

namespace rheo::ops {

void AddTensorArrayKernels(TableKernels& kernels);       // tensor_array_kernels.cc
void AddTensorArrayBatchKernels(TableKernels& kernels);  // tensor_array_batches.cc
void AddTensorListKernels(TableKernels& kernels);        // tensor_list_kernels.cc
void AddTensorListBatchKernels(TableKernels& kernels);   // tensor_list_batches.cc
void AddOptionalKernels(TableKernels& kernels);          // optional.cc

}  // namespace rheo::ops

#endif  // RHEO_OPS_LIST_KERNELS_H_
