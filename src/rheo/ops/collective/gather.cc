// CollectiveGather: all members get the values of all, one after the other along dim 0.
#include <fmt/format.h>

#include <utility>

#include "rheo/ops/collective/kernels.h"

namespace rheo::ops {
namespace {

using kernel::CollectiveCall;
using kernel::CollectivePlan;
using kernel::KernelContext;
using kernel::KernelInit;

StatusOr<Shape> GatheredShape(const Shape& input, int32_t group_size) {
  if (input.rank() == 0) return InvalidArgument("input should have rank > 0, received 0");
  if (group_size <= 0) {
    return InvalidArgument("group_size must be positive integer but got {}", group_size);
  }
  std::vector<int64_t> dims(input.dims().begin(), input.dims().end());
  if (__builtin_mul_overflow(dims[0], int64_t{group_size}, &dims[0])) {
    return InvalidArgument("{} values of shape {} are too large to be gathered", group_size,
                           input.ToString());
  }
  return Shape::Create(dims);
}

class GatherKernel final : public CollectiveKernel {
 public:
  using CollectiveKernel::CollectiveKernel;

 private:
  Status Fill(KernelContext& c, CollectiveCall& call) override {
    RHEO_ASSIGN_OR_RETURN(call.shape, GatheredShape(c.input(0).shape(), call.group_size));
    call.input = c.TakeInput(0);
    call.dtype = call.input.dtype();
    return OkStatus();
  }
};

// The attribute "shape" of the first version says nothing: TensorFlow's client always gives [0].
StatusOr<std::unique_ptr<kernel::Kernel>> MakeGather(const KernelInit& init) {
  CollectivePlan plan{.kind = kernel::CollectiveKind::kGather};
  RHEO_ASSIGN_OR_RETURN(plan.timeout, TimeoutOf(init));
  RHEO_ASSIGN_OR_RETURN(const auto keys, KeysFromAttrs(init));
  plan.name = fmt::format("{}: Gather{}", init.node_name, keys ? "" : "V2");
  return std::make_unique<GatherKernel>(std::move(plan), keys, 1);
}

}  // namespace

void AddAllGatherKernels(TableKernels& kernels) {
  kernels.AddForCpu("CollectiveGather", &MakeGather);
  kernels.AddForCpu("CollectiveGatherV2", &MakeGather);
}

}  // namespace rheo::ops
