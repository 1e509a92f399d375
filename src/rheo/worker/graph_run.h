// GraphRun: one running RunGraph: an executor for each device, one rendezvous for all.
#ifndef RHEO_WORKER_GRAPH_RUN_H_
#define RHEO_WORKER_GRAPH_RUN_H_

#include <memory>

#include "rheo/service/worker_service.h"
#include "rheo/worker/registered_graph.h"
#include "rheo/worker/step_state.h"

namespace rheo::worker {

struct GraphRunArgs {
  const WorkerEnv* env = nullptr;
  std::shared_ptr<RegisteredGraph> graph;
  std::shared_ptr<StepState> state;
  StopToken stop;  // of the call
  bool use_calling_thread = false;
  service::ExecOptions exec;
  trace::StepStats* step_stats = nullptr;  // filled when a timeline is recorded
  // Values for this task are handed over at the end instead of being pushed. "": all are pushed.
  std::string answer_carries_for;
  std::vector<rendezvous::PushedTensor>* pushed = nullptr;
};

// Calls `done` once all parts have ended and all pushes have arrived: OK or the root error. The
// step's rendezvous is aborted at the first error.
void RunGraphParts(GraphRunArgs args, DoneCallback done);

}  // namespace rheo::worker

#endif  // RHEO_WORKER_GRAPH_RUN_H_
