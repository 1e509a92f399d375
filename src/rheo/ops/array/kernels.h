// The parts of RegisterArrayKernels, one per file.
#ifndef RHEO_OPS_ARRAY_KERNELS_H_
#define RHEO_OPS_ARRAY_KERNELS_H_

#include "rheo/ops/common/table_kernels.h"

namespace rheo::ops {

void AddConstantKernels(TableKernels& kernels);      // constant.cc
void AddIdentityKernels(TableKernels& kernels);      // identity.cc
void AddShapeKernels(TableKernels& kernels);         // shape.cc
void AddFillKernels(TableKernels& kernels);          // fill.cc
void AddSequenceKernels(TableKernels& kernels);      // sequence.cc
void AddConcatKernels(TableKernels& kernels);        // concat.cc
void AddSplitKernels(TableKernels& kernels);         // split.cc
void AddRearrangeKernels(TableKernels& kernels);     // rearrange.cc
void AddSliceKernels(TableKernels& kernels);         // slice.cc
void AddStridedSliceKernels(TableKernels& kernels);  // strided_slice.cc
void AddPadKernels(TableKernels& kernels);           // pad.cc
void AddGatherKernels(TableKernels& kernels);        // gather.cc
void AddScatterKernels(TableKernels& kernels);       // scatter.cc
void AddUniqueKernels(TableKernels& kernels);        // unique.cc
void AddPartitionKernels(TableKernels& kernels);     // partition.cc
void AddSegmentKernels(TableKernels& kernels);       // segment.cc
void AddDiagKernels(TableKernels& kernels);          // diag.cc
void AddCheckKernels(TableKernels& kernels);         // checks.cc

}  // namespace rheo::ops

#endif  // RHEO_OPS_ARRAY_KERNELS_H_
