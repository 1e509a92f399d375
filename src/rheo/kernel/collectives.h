// Collectives: how the kernels of collective operations meet the other members of their group. The
// worker provides it.
#ifndef RHEO_KERNEL_COLLECTIVES_H_
#define RHEO_KERNEL_COLLECTIVES_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "rheo/async/stop.h"
#include "rheo/base/ids.h"
#include "rheo/base/status.h"
#include "rheo/device/device.h"
#include "rheo/tensor/tensor.h"

namespace rheo::kernel {

enum class CollectiveKind : uint8_t { kReduce, kBroadcast, kGather };

// How values of two members become one: elementwise.
enum class MergeOp : uint8_t { kAdd, kMul, kMax, kMin };
// What becomes of the merged value: nothing, or it is divided by the number of members.
enum class FinalOp : uint8_t { kId, kDiv };

// What is the same in every step that runs the node.
struct CollectivePlan {
  CollectiveKind kind = CollectiveKind::kReduce;
  MergeOp merge = MergeOp::kAdd;
  FinalOp final = FinalOp::kId;
  bool is_source = false;                // of a broadcast
  std::string name;                      // "sum: Reduce(Add,Id)", for the leader and for messages
  std::vector<int> ring_offsets;         // subdiv_offsets; empty: chosen by the size of the value
  int max_rings = 0;                     // where they are chosen; 0: the default
  std::chrono::milliseconds timeout{0};  // 0: none but the step's
};

// One run of a node: one member's part in one instance of a group.
struct CollectiveCall {
  const CollectivePlan* plan = nullptr;  // outlives the call
  int32_t group_key = 0;
  int32_t group_size = 0;
  int32_t instance_key = 0;
  device::Device* device = nullptr;
  StepId step;
  StopToken stop;
  uint64_t frame = 0;
  int64_t iteration = 0;
  Tensor input;  // what this member gives; a broadcast's receivers give none
  // Of the result: of the input, of what a broadcast's receiver expects, or of all that is
  // gathered.
  DType dtype = DType::kInvalid;
  Shape shape;
};

// Thread-safe.
class Collectives {
 public:
  virtual ~Collectives() = default;

  using Callback = absl::AnyInvocable<void(StatusOr<Tensor>)>;
  // Calls `done` once with the group's value, perhaps inside this call. Errors of other members
  // name them and are derived. CANCELLED (derived) soon after `stop` fires.
  virtual void Run(CollectiveCall call, Callback done) = 0;
};

}  // namespace rheo::kernel

#endif  // RHEO_KERNEL_COLLECTIVES_H_
