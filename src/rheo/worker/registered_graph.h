// RegisteredGraph: a part of a program as a worker runs it: cut by device, compiled to plans.
#ifndef RHEO_WORKER_REGISTERED_GRAPH_H_
#define RHEO_WORKER_REGISTERED_GRAPH_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "rheo/executor/executor.h"
#include "rheo/graph/graph.h"
#include "rheo/kernel/function_caller.h"
#include "rheo/worker/step_state.h"
#include "rheo/worker/worker.h"

namespace rheo::worker {

class WorkerSession;
struct SessionDevice;

// Immutable after Compile, apart from the measured time.
struct RegisteredGraph {
  struct Part {
    device::Device* device = nullptr;
    kernel::ResourceManager* resources = nullptr;
    std::shared_ptr<const executor::Plan> plan;
    std::unique_ptr<kernel::FunctionCaller> functions;  // null: the program has no functions
    graph::GraphDef def;                                // for output_partition_graphs
  };

  // The session, and with it the resources that it owns, outlives its graphs' kernels.
  std::shared_ptr<WorkerSession> session;
  std::vector<Part> parts;
  std::shared_ptr<const GraphRoutes> routes;
  // Other tasks may ask for values of a step (some Send goes to another task), so its state stays
  // until the master's CleanupGraph.
  bool serves_other_tasks = false;
  bool has_collectives = false;
  // Microseconds that the calling thread spends in a step, a moving average. Relaxed: a hint.
  std::atomic<uint32_t> inline_micros{1000};
};

// Checks, cuts and compiles `def`. Errors of wire.md 7.3, naming the node.
StatusOr<std::shared_ptr<RegisteredGraph>> CompileGraph(const graph::GraphDef& def,
                                                        const WorkerEnv& env,
                                                        std::shared_ptr<WorkerSession> session,
                                                        const std::string& handle);

// The kernel of a node on `device`; stateful ones are shared through the session's cache.
StatusOr<std::shared_ptr<kernel::Kernel>> KernelFor(const graph::Node& node, const WorkerEnv& env,
                                                    device::Device& device, WorkerSession* cache);

}  // namespace rheo::worker

#endif  // RHEO_WORKER_REGISTERED_GRAPH_H_
