// SessionConfig: what Rheo uses of ConfigProto, and the rest as bytes.
#ifndef RHEO_SERVICE_SESSION_CONFIG_H_
#define RHEO_SERVICE_SESSION_CONFIG_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rheo/graph/graph_def.h"
#include "rheo/trace/step_stats.h"

namespace rheo::service {

class ClusterSpec;

struct SessionConfig {
  std::map<std::string, int> device_count;  // by type; only of a server's own configuration
  int intra_op_threads = 0;                 // 0: number of cores
  int inter_op_threads = 0;
  std::vector<std::string> device_filters;  // empty: all tasks
  bool allow_soft_placement = false;
  bool log_device_placement = false;
  int64_t operation_timeout_ms = 0;  // 0: none
  bool isolate_session_state = false;
  bool share_cluster_devices = false;
  bool share_state_in_cluster_propagation = false;
  bool use_per_session_threads = false;
  int num_session_thread_pools = 0;
  std::shared_ptr<const ClusterSpec> cluster;  // cluster-spec propagation; null: none
  // graph_options
  bool constant_folding = true;
  int64_t max_folded_bytes = 0;  // of one folded constant; 0: the default
  bool common_subexpressions = true;
  bool function_inlining = true;
  bool bfloat16_sendrecv = false;
  bool place_pruned_graph = false;
  int64_t build_cost_model = 0;
  int64_t build_cost_model_after = 0;
  bool disable_functional_lowering = false;
  // Of a server's own configuration: the task that says who is in a group; empty: each by itself.
  std::string collective_group_leader;
  int64_t recv_buf_max_chunk = 0;  // 0: 4096; negative: no chunks
  // Of a server's own configuration: the share of a GPU's memory that it may use, above 0 and up to
  // 1; 0: what the device's kind gives by default.
  double gpu_memory_fraction = 0;
  // The fields that are set and have no effect here, for a warning.
  std::vector<std::string> without_effect;
  // The whole ConfigProto as it came, for peers.
  std::string raw;
};

// TensorFlow's merge: the server's defaults, the request over them, the defaults once more.
SessionConfig MergeConfig(const SessionConfig& defaults, const SessionConfig& request);

enum class TraceLevel { kNone = 0, kSoftware = 1, kHardware = 2, kFull = 3 };

struct RunOptions {
  TraceLevel trace = TraceLevel::kNone;
  int64_t timeout_ms = 0;  // 0: none
  bool output_partition_graphs = false;
  bool report_allocations_upon_oom = false;
  int64_t collective_graph_key = 0;
  std::vector<std::string> without_effect;  // as SessionConfig's
  std::string raw;
};

struct RunMetadata {
  trace::StepStats step_stats;
  std::vector<graph::GraphDef> partition_graphs;
  std::string cost_graph;  // serialized CostGraphDef; on the wire `costs` come after it
  trace::CostGraph costs;
};

}  // namespace rheo::service

#endif  // RHEO_SERVICE_SESSION_CONFIG_H_
