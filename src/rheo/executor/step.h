// Step: the state of one running part. Private to executor/.
//
// Life: taken from the plan's pool → Start → nodes run on whatever threads make them ready →
// the last node to finish calls Finish, which returns the step to the pool and answers.
//
//   node state:  waiting ─(last input arrives)─► ready ─► running ─► done
//                                                  │        └(async)─► suspended ─► done
//                                                  └(step stops)─► dropped
#ifndef RHEO_EXECUTOR_STEP_H_
#define RHEO_EXECUTOR_STEP_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "rheo/base/mutex.h"
#include "rheo/executor/plan.h"
#include "rheo/trace/device_work.h"

namespace rheo::executor {

struct LoopFrame;

// The values and node states of one iteration of one frame.
struct Iteration {
  Iteration(const PlanImpl& plan, const FrameItem& item, LoopFrame* owner, int64_t iteration);
  // Back to the initial image; `dirty` when values may be left over.
  void Reset(const PlanImpl& plan, const FrameItem& item, bool dirty);

  LoopFrame* const frame;  // null: root
  int64_t number;
  std::vector<kernel::Value> values;
  // Ordinary node: inputs still awaited, and a flag for "some input was dead".
  // Merge: see step.cc.
  std::unique_ptr<std::atomic<uint64_t>[]> states;
  // Loops only, guarded by the step's mutex: nodes that are ready or running, and child frames.
  int outstanding_nodes = 0;
  int outstanding_frames = 0;
};

// A running loop; guarded by the step's mutex.
struct LoopFrame {
  const FrameItem* item = nullptr;
  int item_index = 0;
  Iteration* parent = nullptr;  // the iteration of the outer frame that entered
  uint64_t id = 0;              // wire.md 11.2
  int enters_pending = 0;
  int64_t last_iteration = 0;
  int64_t first_iteration = 0;  // the oldest that is still active
  absl::flat_hash_map<int64_t, std::unique_ptr<Iteration>> iterations;
  struct Held {
    int node = 0;
    kernel::Value value;
    bool dead = false;
  };
  std::vector<Held> constants;  // of constant Enters, for each new iteration
  std::vector<Held> postponed;  // NextIteration values that wait for a free iteration
  std::vector<int> dead_exits;
};

struct Ready {
  const NodeItem* node = nullptr;
  Iteration* iteration = nullptr;
  bool dead = false;
};
using ReadyList = absl::InlinedVector<Ready, 8>;

class Step {
 public:
  explicit Step(const PlanImpl& plan);
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  // Runs the plan; `self` owns this object until the step is finished.
  static void Start(std::unique_ptr<Step> self, std::shared_ptr<const PlanImpl> plan, RunArgs args,
                    DoneCallback done);

 private:
  struct Suspended;

  // ---- run.cc: running nodes
  enum class Caller { kRoots, kPool, kGuest };
  // Runs `first` and what becomes ready through it. The last expensive node stays on this thread,
  // unless the step is a guest on it. RunRoots itself sees to the pause.
  void Process(ReadyList first, Caller caller);
  void Pause() {
    if (args_.on_pause) args_.on_pause();
  }
  void RunRoots();
  // False when the node was suspended: it goes on in Resume.
  bool RunNode(const Ready& ready);
  void RunSync(const Ready& ready);
  bool RunAsync(const Ready& ready);
  bool ForwardNatively(const Ready& ready);
  Status PrepareInputs(const NodeItem& node, Iteration& iteration);
  Status CheckOutputs(const NodeItem& node, Iteration& iteration);
  void Resume(const Ready& ready, Status status);
  void FinishNode(const Ready& ready, ReadyList& newly_ready);
  void Fail(const NodeItem& node, Status status);
  bool Stopping() const;
  void Finish();
  void Trace(const Ready& ready, int64_t start_nanos, int64_t end_nanos);
  // For what the node's kernel gives to an asynchronous device; null: not traced.
  std::shared_ptr<const trace::DeviceWork> DeviceWorkOf(const NodeItem& node) const;

  // ---- step.cc: readiness
  void Propagate(const Ready& ready, ReadyList& newly_ready);
  void DeliverOutputs(const NodeItem& node, Iteration& from, Iteration& to, bool dead,
                      ReadyList& newly_ready);
  void Arrive(const EdgeItem& edge, Iteration& to, kernel::Value* value, bool dead,
              ReadyList& newly_ready);
  void AddReady(const NodeItem& node, Iteration& iteration, bool dead, ReadyList& newly_ready);
  // ---- loops; the step's mutex is held
  void PropagateInLoop(const Ready& ready, ReadyList& newly_ready) RHEO_REQUIRES(mutex_);
  LoopFrame& EnterFrame(const NodeItem& enter, Iteration& parent, ReadyList& newly_ready)
      RHEO_REQUIRES(mutex_);
  Iteration& StartIteration(LoopFrame& frame, ReadyList& newly_ready) RHEO_REQUIRES(mutex_);
  void DeliverHeld(const LoopFrame::Held& held, Iteration& to, ReadyList& newly_ready)
      RHEO_REQUIRES(mutex_);
  void NodeLeft(Iteration& iteration, ReadyList& newly_ready) RHEO_REQUIRES(mutex_);
  void EndIterations(LoopFrame& frame, ReadyList& newly_ready) RHEO_REQUIRES(mutex_);

  kernel::Value* outputs(const NodeItem& node, Iteration& iteration) {
    return iteration.values.data() + node.output_start;
  }
  kernel::Value* inputs(const NodeItem& node, Iteration& iteration) {
    return iteration.values.data() + node.input_start;
  }

  const PlanImpl& plan_;
  // Set while running, so that the plan lives as long as its step.
  std::shared_ptr<const PlanImpl> keep_plan_;
  std::unique_ptr<Step> self_;
  RunArgs args_;
  DoneCallback done_;
  Iteration root_;
  // Nodes that are ready, running or suspended. Changed once per finished node, and not at all when
  // it made exactly one other ready.
  std::atomic<int64_t> outstanding_{0};
  std::atomic<bool> failed_{false};  // release after status_ was set
  std::atomic<bool> dirty_{false};   // values may be left over; relaxed, read when all are done
  bool sample_costs_ = false;
  bool on_accelerator_ = false;  // what kernels hand over is traced too

  Mutex mutex_;
  Status status_ RHEO_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<LoopFrame>> frames_ RHEO_GUARDED_BY(mutex_);
  using FrameKey = std::pair<Iteration*, int>;
  absl::flat_hash_map<FrameKey, LoopFrame*> frame_by_key_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::executor

#endif  // RHEO_EXECUTOR_STEP_H_
