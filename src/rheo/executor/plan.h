// The compiled form of a part: flat arrays that all steps share. Private to executor/.
#ifndef RHEO_EXECUTOR_PLAN_H_
#define RHEO_EXECUTOR_PLAN_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rheo/base/mutex.h"
#include "rheo/executor/executor.h"

namespace rheo::executor {

class Step;

// How a node becomes ready and what running it means (semantics.md 9.1).
enum class NodeKind : uint8_t {
  kOrdinary,
  kMerge,
  kEnter,
  kConstantEnter,  // Enter whose value is there in every iteration
  kExit,
  kNextIteration,
  kLoopCond,
  kControlTrigger,
  kTransfer,  // Send and Recv: run with dead inputs too
};

struct EdgeItem {
  int dst_node = 0;
  int src_output = 0;  // -1: control
  int dst_input = 0;   // position among the inputs of dst; -1: control
  // The last data edge of this output: it may move the value.
  bool last_use = false;
  // From an Enter to a Merge: a dead value means that the loop lies on an untaken branch.
  bool loop_entry = false;
};

struct InputItem {
  bool takes_ref = false;
  const Tensor* constant = nullptr;  // always this tensor; not counted as pending
};

struct NodeItem {
  int index = 0;
  NodeKind kind = NodeKind::kOrdinary;
  bool allows_uninitialized = false;
  bool is_communication = false;
  bool may_wait = false;           // for other steps: a queue, not a receive, not a call
  bool is_constant = false;        // its consumers have its tensor; runs only for a Merge
  bool may_leave_outputs = false;  // Switch: outputs that are not set are dead
  bool check_inputs = false;       // some input is a constant or may be a reference
  int frame = 0;                   // index into Plan's frames
  int num_inputs = 0;
  int num_outputs = 0;
  int input_start = 0;  // into the values of the frame's iteration
  int output_start = 0;
  int state = 0;            // into the node states of the iteration
  int pending = 0;          // inputs to wait for; Merge: control inputs only
  int num_data_inputs = 0;  // of a Merge
  int first_edge = 0;       // out edges: [first_edge, last_edge)
  int last_edge = 0;
  kernel::Kernel* kernel = nullptr;
  kernel::AsyncKernel* async = nullptr;
  const op::NodeTypes* types = nullptr;
  std::string frame_name;  // of an Enter
  int child_frame = -1;    // of an Enter
  std::string name;
  std::string label;  // for traces
};

// What one loop looks like; frame 0 is the root.
struct FrameItem {
  std::string name;
  uint64_t name_hash = 0;
  int parent = -1;
  int num_enters = 0;
  int parallel_iterations = 10;
  int num_values = 0;      // inputs and outputs of one iteration
  std::vector<int> nodes;  // by state index
};

class PlanImpl final : public Plan, public std::enable_shared_from_this<PlanImpl> {
 public:
  ~PlanImpl() override;
  int num_nodes() const override { return static_cast<int>(nodes.size()); }

  std::vector<NodeItem> nodes;
  std::vector<InputItem> inputs;  // by NodeItem::first_input
  std::vector<int> first_input;   // by node
  std::vector<EdgeItem> edges;
  std::vector<FrameItem> frames;
  std::vector<int> roots;  // nodes with nothing to wait for, receives first
  std::vector<std::shared_ptr<kernel::Kernel>> kernels;
  std::vector<std::unique_ptr<op::NodeTypes>> types;

  bool has_frames() const { return frames.size() > 1; }
  const InputItem& input(const NodeItem& node, int i) const {
    const auto first = static_cast<size_t>(first_input[static_cast<size_t>(node.index)]);
    return inputs[first + static_cast<size_t>(i)];
  }

  // Nanoseconds a node's kernel takes, a moving average of samples. Relaxed: a hint.
  std::unique_ptr<std::atomic<uint32_t>[]> cost_ns;
  // Counts steps, to sample costs now and then. Relaxed: a hint.
  mutable std::atomic<uint32_t> steps_started{0};

  std::unique_ptr<Step> TakeStep() const;
  void ReturnStep(std::unique_ptr<Step> step) const;

 private:
  mutable Mutex mutex_;
  mutable std::vector<std::unique_ptr<Step>> idle_steps_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::executor

#endif  // RHEO_EXECUTOR_PLAN_H_
