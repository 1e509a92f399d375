// The ops of the family, one file each.
#ifndef RHEO_OPS_EXTRA_EXTRA_OPS_H_
#define RHEO_OPS_EXTRA_EXTRA_OPS_H_

#include <string_view>

#include "rheo/kernel/kernel_registry.h"
#include "rheo/op/op_schema.h"
#include "rheo/ops/common/gradient_builder.h"

namespace rheo::ops {

// All there is to an op.
struct ExtraOp {
  std::string_view signature;  // "Name\tinputs\toutputs\tattrs\tflags", as in op/op_signatures.tsv
  Status (*shape)(op::ShapeContext&);
  void (*add_kernels)(kernel::KernelRegistry&);
  GradientBody gradient;  // nullptr: no gradient flows through the op
};

ExtraOp HuberLossOp();  // huber_loss.cc

}  // namespace rheo::ops

#endif  // RHEO_OPS_EXTRA_EXTRA_OPS_H_
