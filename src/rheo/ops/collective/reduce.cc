// CollectiveReduce: all members get the merged value.
#include <fmt/format.h>

#include <utility>

#include "rheo/ops/collective/kernels.h"

namespace rheo::ops {
namespace {

using kernel::CollectiveCall;
using kernel::CollectivePlan;
using kernel::KernelContext;
using kernel::KernelInit;
using kernel::MergeOp;

class ReduceKernel final : public CollectiveKernel {
 public:
  using CollectiveKernel::CollectiveKernel;

 private:
  Status Fill(KernelContext& c, CollectiveCall& call) override {
    call.input = c.TakeInput(0);
    call.dtype = call.input.dtype();
    call.shape = call.input.shape();
    return OkStatus();
  }
};

StatusOr<MergeOp> MergeOf(const std::string& name) {
  if (name == "Add") return MergeOp::kAdd;
  if (name == "Mul") return MergeOp::kMul;
  if (name == "Max") return MergeOp::kMax;
  if (name == "Min") return MergeOp::kMin;
  return InvalidArgument("merge_op must be one of Add, Mul, Max and Min, not {}", name);
}

StatusOr<std::unique_ptr<kernel::Kernel>> MakeReduce(const KernelInit& init) {
  CollectivePlan plan;
  RHEO_ASSIGN_OR_RETURN(const std::string merge, init.attrs.Get<std::string>("merge_op"));
  RHEO_ASSIGN_OR_RETURN(const std::string final, init.attrs.Get<std::string>("final_op"));
  RHEO_ASSIGN_OR_RETURN(plan.merge, MergeOf(merge));
  if (final != "Id" && final != "Div") {
    return InvalidArgument("final_op must be one of Id and Div, not {}", final);
  }
  plan.final = final == "Div" ? kernel::FinalOp::kDiv : kernel::FinalOp::kId;
  RHEO_ASSIGN_OR_RETURN(plan.timeout, TimeoutOf(init));
  RHEO_ASSIGN_OR_RETURN(const auto keys, KeysFromAttrs(init));
  plan.name = fmt::format("{}: Reduce{}({},{})", init.node_name, keys ? "" : "V2", merge, final);
  const auto offsets = init.attrs.Get<std::vector<int64_t>>("subdiv_offsets");
  if (offsets.ok()) {
    for (const int64_t offset : *offsets) {
      RHEO_ASSIGN_OR_RETURN(const int ring, ToInt32("subdiv_offsets", offset));
      plan.ring_offsets.push_back(ring);
    }
  }
  RHEO_ASSIGN_OR_RETURN(
      plan.max_rings,
      ToInt32("max_subdivs_per_device", init.attrs.GetOr<int64_t>("max_subdivs_per_device", -1)));
  return std::make_unique<ReduceKernel>(std::move(plan), keys, 1);
}

}  // namespace

void AddReduceKernels(TableKernels& kernels) {
  kernels.AddForCpu("CollectiveReduce", &MakeReduce);
  kernels.AddForCpu("CollectiveReduceV2", &MakeReduce);
}

}  // namespace rheo::ops
