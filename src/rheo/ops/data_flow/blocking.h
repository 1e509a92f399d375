// What kernels that wait tell of themselves.
#ifndef RHEO_OPS_DATA_FLOW_BLOCKING_H_
#define RHEO_OPS_DATA_FLOW_BLOCKING_H_

#include <string>
#include <string_view>
#include <vector>

#include "rheo/kernel/kernel.h"
#include "rheo/kernel/waiters.h"

namespace rheo::ops {

inline kernel::OpCall CallOf(const kernel::KernelContext& context, const std::string& node) {
  return {.step = context.step().step, .node = node, .stop = context.stop()};
}

// INVALID_ARGUMENT "Signature mismatch, have: …" unless the node's inputs, from `first` on, and its
// outputs, from `first_output` on, have these dtypes.
Status CheckSignature(const kernel::KernelContext& context, int first,
                      const std::vector<DType>& inputs, int first_output,
                      const std::vector<DType>& outputs);

// INVALID_ARGUMENT when the node's attr timeout_ms asks for what TensorFlow does not have either.
Status CheckNoTimeout(const kernel::KernelInit& init);

// The int32 scalar of input `i`; `what` names it in the error.
StatusOr<int64_t> ReadCount(const kernel::KernelContext& context, int i, std::string_view what);

}  // namespace rheo::ops

#endif  // RHEO_OPS_DATA_FLOW_BLOCKING_H_
