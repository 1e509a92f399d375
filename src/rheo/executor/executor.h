// Executor: runs the part of a graph that lies on one device.
//
// A Plan is compiled once and shared by all steps; what a running step changes is in a Step, taken
// from the plan's pool. Readiness rules: semantics.md 9.
#ifndef RHEO_EXECUTOR_EXECUTOR_H_
#define RHEO_EXECUTOR_EXECUTOR_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rheo/async/notification.h"
#include "rheo/async/thread_pool.h"
#include "rheo/base/status.h"
#include "rheo/executor/waiting_ops.h"
#include "rheo/graph/graph.h"
#include "rheo/kernel/kernel.h"
#include "rheo/kernel/kernel_context.h"
#include "rheo/trace/step_stats.h"

namespace rheo::executor {

// Gives the kernel of a node; stateful ones may be shared with other plans.
using KernelProvider =
    std::function<StatusOr<std::shared_ptr<kernel::Kernel>>(const graph::Node& node)>;

class Plan {
 public:
  // Every node of `graph` is on one device. Errors name the node: of the provider, INVALID_ARGUMENT
  // for frames that do not nest.
  static StatusOr<std::shared_ptr<const Plan>> Compile(const graph::Graph& graph,
                                                       const KernelProvider& kernels);
  virtual ~Plan() = default;
  virtual int num_nodes() const = 0;
};

struct RunArgs {
  // Alive until done ran. Its stop token stops the step.
  const kernel::StepContext* context = nullptr;
  // Where work goes that is not run on the calling thread.
  ThreadPool* pool = nullptr;
  // Run cheap and last-ready nodes on the thread that calls Run; false: hand over at once.
  bool inline_on_caller = true;
  // null: no tracing. Outlives the step, and what its kernels gave to the device's stream.
  trace::StepObserver* observer = nullptr;
  // Called once at the first root error of this plan, before `done`; must stop what else belongs to
  // the step. May be null.
  std::function<void(const Status&)> on_error;
  // Called on a thread that runs nodes of the step when it leaves the step before its end, and
  // before a node that takes long: what the nodes have collected for others should go out now. Not
  // called at the end of the step. May be null.
  std::function<void()> on_pause;
  // Where operations that wait are listed meanwhile; null: nobody asks. Outlives the step.
  WaitingOps* waiting = nullptr;
};

// Runs one step. `done` runs once, when no node is active any more, perhaps inside this call: OK,
// or the first error, with "\n\t [[{{node NAME}}]]" appended to its text; an error after the stop
// token fired with CANCELLED or ABORTED is derived. If the step stops without any error of its own:
// CANCELLED (derived).
void Run(std::shared_ptr<const Plan> plan, RunArgs args, DoneCallback done);

}  // namespace rheo::executor

#endif  // RHEO_EXECUTOR_EXECUTOR_H_
