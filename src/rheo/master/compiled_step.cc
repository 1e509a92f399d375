#include "rheo/master/compiled_step.h"

#include <algorithm>
#include <set>
#include <utility>

#include "rheo/base/hash.h"
#include "rheo/graph/collective_nodes.h"
#include "rheo/graph/import.h"
#include "rheo/graph/traversal.h"
#include "rheo/master/part_options.h"
#include "rheo/master/step_run.h"
#include "rheo/master/tensor_connections.h"
#include "rheo/partition/partition.h"

namespace rheo::master {
namespace {

using graph::Graph;
using graph::Node;

constexpr size_t kMaxFoldedBytes = size_t{10} << 20;
constexpr size_t kMaxIdleRuns = 16;

// The key under which a fed or fetched value passes between the client and the client device.
rendezvous::RendezvousKey ClientKey(const device::DeviceInfo& client, const std::string& name) {
  return rendezvous::RendezvousKey({.src_device = client.name,
                                    .src_incarnation = client.incarnation,
                                    .dst_device = client.name,
                                    .edge = name});
}

std::vector<rendezvous::RendezvousKey> ClientKeys(const device::DeviceInfo& client,
                                                  const std::vector<std::string>& names) {
  std::vector<rendezvous::RendezvousKey> keys;
  keys.reserve(names.size());
  for (const std::string& name : names) keys.push_back(ClientKey(client, name));
  return keys;
}

Status Simplify(const CompileOptions& options, Graph& graph) {
  if (options.config->constant_folding && options.evaluator != nullptr &&
      *options.evaluator != nullptr) {
    const int64_t asked = options.config->max_folded_bytes;
    const size_t max_bytes = asked > 0 ? static_cast<size_t>(asked) : kMaxFoldedBytes;
    RHEO_RETURN_IF_ERROR(passes::FoldConstants(*options.evaluator, max_bytes, graph));
  }
  if (options.config->common_subexpressions) {
    RHEO_RETURN_IF_ERROR(passes::EliminateCommonSubexpressions(graph));
  }
  return OkStatus();
}

// By the tensor_name of the client's nodes.
StringMap<const Node*> ClientNodes(const Graph& graph, bool (*is_kind)(const Node&)) {
  StringMap<const Node*> found;
  for (const Node* node : graph.nodes()) {
    if (is_kind(*node) && node->attrs().GetOr<bool>("client_terminated", false)) {
      found.emplace(node->attrs().GetOr<std::string>("tensor_name", ""), node);
    }
  }
  return found;
}

std::vector<std::vector<int>> FeedsOfFetches(const StepNames& names, const Graph& graph) {
  const StringMap<const Node*> feeds = ClientNodes(graph, graph::IsRecv);
  const StringMap<const Node*> fetches = ClientNodes(graph, graph::IsSend);
  std::vector<std::vector<int>> result;
  for (const std::string& fetch : names.fetches) {
    std::vector<int>& needed = result.emplace_back();
    const auto root = fetches.find(fetch);
    if (root == fetches.end()) continue;
    const std::vector<bool> reached =
        graph::ReachableBackwards(graph, {const_cast<Node*>(root->second)});
    for (size_t i = 0; i < names.feeds.size(); ++i) {
      const auto feed = feeds.find(names.feeds[i]);
      if (feed != feeds.end() && reached[static_cast<size_t>(feed->second->id())]) {
        needed.push_back(static_cast<int>(i));
      }
    }
  }
  return result;
}

service::RegisterGraphRequest RegistrationOf(const CompileOptions& options, const Graph& part) {
  service::RegisterGraphRequest request;
  request.session = options.session;
  request.graph = graph::Export(
      part,
      {.strip_default_attrs = true, .reachable_functions_only = true, .assigned_devices = true});
  request.config = *options.config;
  return request;
}

// TensorFlow's key of a graph with collectives (wire.md 21); 0 for one without.
int64_t CollectiveGraphKey(const Graph& graph) {
  std::set<int64_t> instances;
  bool has_collectives = false;
  for (const Node* node : graph.nodes()) {
    if (!graph::IsCollective(*node)) continue;
    has_collectives = true;
    if (const auto key = node->attrs().Get<int64_t>("instance_key"); key.ok()) {
      instances.insert(*key);
    }
  }
  if (!has_collectives) return 0;
  uint64_t key = 0x8774aa605c729c72;
  for (const int64_t instance : instances) {
    key = Hash64Combine(static_cast<uint64_t>(instance), key);
  }
  return static_cast<int64_t>(key);
}

Status AddPart(const CompileOptions& options, const std::string& task_name, const Graph& graph,
               PreparedStep& prepared) {
  const Task* task = options.cluster->FindTask(task_name);
  if (task == nullptr)
    return Internal("nodes were placed on {}, which is no task of the session", task_name);
  prepared.step->parts.push_back(
      {.task = task->name, .worker = task->worker, .is_rheo = task->is_rheo, .graph = {}});
  prepared.requests.push_back(RegistrationOf(options, graph));
  return OkStatus();
}

Status Cut(const CompileOptions& options, Graph& graph, PreparedStep& prepared) {
  RHEO_ASSIGN_OR_RETURN(
      const auto parts,
      partition::Partition(PartOptions(*options.cluster, *options.config, options.unique_name),
                           graph));
  const std::string& own = options.cluster->own_task().name;
  for (const auto& [task, part] : parts) {
    // Between the stages of a partial run a task has no call to answer with an error: whoever waits
    // for a value learns of it from the pull.
    if (!options.for_partial_runs) MarkPushedPairs(*options.cluster, *part);
    if (task != own) RHEO_RETURN_IF_ERROR(AddPart(options, task, *part, prepared));
  }
  const auto own_part = parts.find(own);
  if (own_part == parts.end()) return OkStatus();
  RHEO_RETURN_IF_ERROR(AddPart(options, own, *own_part->second, prepared));
  prepared.step->client_part = static_cast<int>(prepared.step->parts.size()) - 1;
  prepared.step->is_local = prepared.step->parts.size() == 1;
  return OkStatus();
}

}  // namespace

CompiledStep::~CompiledStep() = default;

std::shared_ptr<StepRun> CompiledStep::TakeIdle() const {
  MutexLock lock(mutex_);
  if (idle_.empty()) return nullptr;
  std::shared_ptr<StepRun> run = std::move(idle_.back());
  idle_.pop_back();
  return run;
}

void CompiledStep::ReturnIdle(std::shared_ptr<StepRun> run) const {
  MutexLock lock(mutex_);
  if (idle_.size() < kMaxIdleRuns) {
    idle_.push_back(std::move(run));
    return;
  }
  lock.Unlock();  // what goes away does so without the lock
}

StatusOr<PreparedStep> CompileStep(const CompileOptions& options, const Graph& placed,
                                   StepSignature signature) {
  const device::DeviceInfo& client = options.cluster->client_device();
  PreparedStep prepared;
  prepared.step = std::make_shared<CompiledStep>();
  prepared.step->session = options.session;
  prepared.step->cleanups = options.cleanups;
  prepared.step->signature = std::move(signature);
  const StepNames& names = prepared.step->signature.names;
  prepared.step->feed_keys = ClientKeys(client, names.feeds);
  prepared.step->fetch_keys = ClientKeys(client, names.fetches);

  const std::unique_ptr<Graph> graph = placed.Clone();
  RHEO_RETURN_IF_ERROR(ConnectTensors(options.tensor_connections, *graph));
  RHEO_RETURN_IF_ERROR(passes::Prune({.feeds = names.feeds,
                                      .fetches = names.fetches,
                                      .targets = names.targets,
                                      .client_device = client.name,
                                      .client_incarnation = client.incarnation},
                                     *graph));
  for (const Node* node : graph->nodes()) {
    RHEO_RETURN_IF_ERROR(graph::ValidateForExecution(*node, graph->versions()));
  }
  if (options.for_partial_runs) {
    prepared.step->feeds_of_fetch = FeedsOfFetches(names, *graph);
  }
  RHEO_RETURN_IF_ERROR(Simplify(options, *graph));
  const int64_t derived_key = CollectiveGraphKey(*graph);
  RHEO_RETURN_IF_ERROR(Cut(options, *graph, prepared));
  const int64_t asked_key = options.collective_graph_key;
  for (service::RegisterGraphRequest& request : prepared.requests) {
    request.collective_graph_key = asked_key != 0 ? asked_key : derived_key;
  }
  if (derived_key != 0) {
    prepared.step->collective_graph_key = asked_key != 0 ? asked_key : derived_key;
    // Other members may ask for pieces of the step until its clean-up.
    prepared.step->is_local = false;
  }
  return prepared;
}

}  // namespace rheo::master
