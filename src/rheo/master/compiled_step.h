// CompiledStep: what it takes to run one set of feeds, fetches and targets again and again: the
// parts that the workers know, and the keys under which values enter and leave.
#ifndef RHEO_MASTER_COMPILED_STEP_H_
#define RHEO_MASTER_COMPILED_STEP_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rheo/base/mutex.h"
#include "rheo/master/cleanups.h"
#include "rheo/master/graph_state.h"
#include "rheo/master/session_cluster.h"
#include "rheo/master/step_names.h"
#include "rheo/passes/passes.h"
#include "rheo/rendezvous/rendezvous_key.h"
#include "rheo/service/session_config.h"

namespace rheo::master {

class StepRun;

struct StepPart {
  std::string task;
  std::shared_ptr<service::WorkerService> worker;
  bool is_rheo = false;
  GraphHandle graph;  // set by registration
};

// Immutable once registered, but for the pool of idle runs. Thread-safe.
class CompiledStep {
 public:
  static constexpr int kNoPart = -1;

  ~CompiledStep();

  StepSignature signature;
  SessionHandle session;
  std::shared_ptr<Cleanups> cleanups;
  // In order of signature.names.feeds and .fetches.
  std::vector<rendezvous::RendezvousKey> feed_keys;
  std::vector<rendezvous::RendezvousKey> fetch_keys;
  // The part on the client device's task comes last, so that it may run on the calling thread while
  // the others are under way.
  std::vector<StepPart> parts;
  int client_part = kNoPart;  // index in parts
  // The only part is on the master's own task. Nothing then crosses tasks, and the worker forgets
  // the step by itself when it ends: no CleanupGraph is sent.
  bool is_local = false;
  // Names the sequence of step ids that all masters share which run this graph; 0: it has no
  // collectives.
  int64_t collective_graph_key = 0;
  // For partial runs: by fetch, the feeds (positions in signature.names.feeds) that it depends on.
  std::vector<std::vector<int>> feeds_of_fetch;

  // Counts the step's runs, for build_cost_model; relaxed, since it chooses samples only.
  mutable std::atomic<int64_t> num_runs{0};

  // Idle runs of this step, for reuse.
  std::shared_ptr<StepRun> TakeIdle() const;
  void ReturnIdle(std::shared_ptr<StepRun> run) const;

 private:
  mutable Mutex mutex_;
  mutable std::vector<std::shared_ptr<StepRun>> idle_ RHEO_GUARDED_BY(mutex_);
};

struct CompileOptions {
  const SessionCluster* cluster = nullptr;
  const service::SessionConfig* config = nullptr;
  const passes::ConstantEvaluator* evaluator = nullptr;
  SessionHandle session;
  std::shared_ptr<Cleanups> cleanups;
  // A node name that the session has not had; see partition::Options.
  std::function<std::string(std::string_view prefix)> unique_name;
  // from → to: consumers of `to` read `from` instead.
  std::vector<std::pair<std::string, std::string>> tensor_connections;
  int64_t collective_graph_key = 0;  // 0: made from the collectives
  bool for_partial_runs = false;
};

// A step whose parts are not registered yet, with the requests that register them.
struct PreparedStep {
  std::shared_ptr<CompiledStep> step;
  std::vector<service::RegisterGraphRequest> requests;  // by part
};

// Clones, prunes, simplifies and cuts the graph. Errors of wire.md 13.6 and 19.
StatusOr<PreparedStep> CompileStep(const CompileOptions& options, const graph::Graph& placed,
                                   StepSignature signature);

}  // namespace rheo::master

#endif  // RHEO_MASTER_COMPILED_STEP_H_
