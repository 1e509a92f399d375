// CollectiveBcastSend, CollectiveBcastRecv: all members get the value of the one that sends.
#include <fmt/format.h>

#include <utility>

#include "rheo/ops/collective/kernels.h"
#include "rheo/ops/common/integers.h"

namespace rheo::ops {
namespace {

using kernel::CollectiveCall;
using kernel::CollectivePlan;
using kernel::KernelContext;
using kernel::KernelInit;

class SendKernel final : public CollectiveKernel {
 public:
  SendKernel(CollectivePlan plan, std::optional<InstanceKeys> keys, PartialShape declared)
      : CollectiveKernel(std::move(plan), keys, 1), declared_(std::move(declared)) {}

 private:
  Status Fill(KernelContext& c, CollectiveCall& call) override {
    const Shape shape = c.input(0).shape();
    if (!declared_.IsCompatibleWith(PartialShape(shape))) {
      return InvalidArgument("Declared shape of op {} and shape of input {} do not fit",
                             declared_.ToString(), shape.ToString());
    }
    call.input = c.TakeInput(0);
    call.dtype = call.input.dtype();
    call.shape = shape;
    return OkStatus();
  }

  const PartialShape declared_;
};

// The shape is an attribute, or the last input.
class RecvKernel final : public CollectiveKernel {
 public:
  RecvKernel(CollectivePlan plan, std::optional<InstanceKeys> keys, std::optional<Shape> shape)
      : CollectiveKernel(std::move(plan), keys, 0), shape_(std::move(shape)) {}

 private:
  Status Fill(KernelContext& c, CollectiveCall& call) override {
    call.dtype = c.output_type(0);
    if (shape_) {
      call.shape = *shape_;
      return OkStatus();
    }
    RHEO_ASSIGN_OR_RETURN(call.shape, ReadShape(c.input(c.num_inputs() - 1), "shape"));
    return OkStatus();
  }

  const std::optional<Shape> shape_;
};

StatusOr<CollectivePlan> PlanOf(const KernelInit& init, bool is_source) {
  CollectivePlan plan{.kind = kernel::CollectiveKind::kBroadcast, .is_source = is_source};
  plan.name = fmt::format("{}: Broadcast({})", init.node_name, is_source ? 1 : 0);
  RHEO_ASSIGN_OR_RETURN(plan.timeout, TimeoutOf(init));
  return plan;
}

StatusOr<std::unique_ptr<kernel::Kernel>> MakeSend(const KernelInit& init) {
  RHEO_ASSIGN_OR_RETURN(CollectivePlan plan, PlanOf(init, true));
  RHEO_ASSIGN_OR_RETURN(const auto keys, KeysFromAttrs(init));
  return std::make_unique<SendKernel>(std::move(plan), keys,
                                      init.attrs.GetOr<PartialShape>("shape", PartialShape()));
}

StatusOr<std::unique_ptr<kernel::Kernel>> MakeRecv(const KernelInit& init) {
  RHEO_ASSIGN_OR_RETURN(CollectivePlan plan, PlanOf(init, false));
  RHEO_ASSIGN_OR_RETURN(const auto keys, KeysFromAttrs(init));
  std::optional<Shape> shape;
  if (const auto declared = init.attrs.Get<PartialShape>("shape"); declared.ok()) {
    if (!declared->IsFullyDefined()) {
      return InvalidArgument("the shape {} of a broadcast is not fully defined",
                             declared->ToString());
    }
    shape = declared->ToShape();
  }
  return std::make_unique<RecvKernel>(std::move(plan), keys, std::move(shape));
}

}  // namespace

void AddBroadcastKernels(TableKernels& kernels) {
  kernels.AddForCpu("CollectiveBcastSend", &MakeSend);
  kernels.AddForCpu("CollectiveBcastSendV2", &MakeSend);
  kernels.AddForCpu("CollectiveBcastRecv", &MakeRecv);
  kernels.AddForCpu("CollectiveBcastRecvV2", &MakeRecv);
}

}  // namespace rheo::ops
