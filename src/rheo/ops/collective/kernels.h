// The parts of RegisterCollectiveKernels, one per file, and what they share.
#ifndef RHEO_OPS_COLLECTIVE_KERNELS_H_
#define RHEO_OPS_COLLECTIVE_KERNELS_H_

#include "rheo/kernel/collectives.h"
#include "rheo/kernel/kernel.h"
#include "rheo/ops/common/table_kernels.h"

namespace rheo::ops {

void AddReduceKernels(TableKernels& kernels);     // reduce.cc
void AddBroadcastKernels(TableKernels& kernels);  // broadcast.cc
void AddAllGatherKernels(TableKernels& kernels);  // gather.cc

// The three numbers that say which instance of which group a node is of.
struct InstanceKeys {
  int32_t group_size = 0;
  int32_t group_key = 0;
  int32_t instance_key = 0;
};

// A node that is one member's part. Waits without a thread until the step's collectives answer.
class CollectiveKernel : public kernel::AsyncKernel {
 public:
  // `keys` of the attributes; nullopt: they are inputs, from `first_key_input` on.
  CollectiveKernel(kernel::CollectivePlan plan, std::optional<InstanceKeys> keys,
                   int first_key_input)
      : plan_(std::move(plan)), keys_(keys), first_key_input_(first_key_input) {}

  void ComputeAsync(kernel::KernelContext& context, DoneCallback done) override;

 protected:
  // The value that this member gives, if any, with dtype and shape of the result.
  virtual Status Fill(kernel::KernelContext& context, kernel::CollectiveCall& call) = 0;

 private:
  StatusOr<InstanceKeys> KeysOf(kernel::KernelContext& context) const;

  const kernel::CollectivePlan plan_;
  const std::optional<InstanceKeys> keys_;
  const int first_key_input_;
};

// The attributes group_size, group_key and instance_key; nullopt when the op takes them as inputs.
StatusOr<std::optional<InstanceKeys>> KeysFromAttrs(const kernel::KernelInit& init);
// `value` of an attribute `name` that the op has as int32; INVALID_ARGUMENT when it does not fit.
StatusOr<int32_t> ToInt32(const char* name, int64_t value);
// The attribute timeout_seconds.
StatusOr<std::chrono::milliseconds> TimeoutOf(const kernel::KernelInit& init);

}  // namespace rheo::ops

#endif  // RHEO_OPS_COLLECTIVE_KERNELS_H_
