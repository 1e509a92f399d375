#include "rheo/wire/config_codec.h"

#include "rheo/wire/option_table.h"

namespace rheo::wire {
namespace {

using service::SessionConfig;
using tensorflow::OptimizerOptions;
using tensorflow::RewriterConfig;

// An optimization is on at level L1 or by its own switch, unless the rewriter's toggle is off.
bool IsOn(const tensorflow::GraphOptions& graph, bool own_switch, RewriterConfig::Toggle toggle) {
  return (graph.optimizer_options().opt_level() >= OptimizerOptions::L1 || own_switch) &&
         toggle != RewriterConfig::OFF;
}

void GraphOptionsFromProto(const tensorflow::GraphOptions& proto, SessionConfig& config) {
  const auto& optimizer = proto.optimizer_options();
  const auto& rewrite = proto.rewrite_options();
  const bool meta = !rewrite.disable_meta_optimizer();
  config.constant_folding =
      meta && IsOn(proto, optimizer.do_constant_folding(), rewrite.constant_folding());
  config.max_folded_bytes = optimizer.max_folded_constant_in_bytes();
  config.common_subexpressions =
      meta && IsOn(proto, optimizer.do_common_subexpression_elimination(),
                   rewrite.common_subgraph_elimination());
  config.function_inlining = optimizer.do_function_inlining() ||
                             (meta && rewrite.function_optimization() != RewriterConfig::OFF);
  config.bfloat16_sendrecv = proto.enable_bfloat16_sendrecv();
  config.place_pruned_graph = proto.place_pruned_graph();
  config.build_cost_model = proto.build_cost_model();
  config.build_cost_model_after = proto.build_cost_model_after();
}

// Makes GraphOptionsFromProto give what `config` says; `now` is what it gives already.
void GraphOptionsToProto(const SessionConfig& config, const SessionConfig& now,
                         tensorflow::ConfigProto& proto) {
  const auto toggle = [](bool on) { return on ? RewriterConfig::ON : RewriterConfig::OFF; };
  const auto graph = [&proto] { return proto.mutable_graph_options(); };
  const bool folding_changed = config.constant_folding != now.constant_folding;
  const bool cse_changed = config.common_subexpressions != now.common_subexpressions;
  if (folding_changed || cse_changed) {
    auto* const rewrite = graph()->mutable_rewrite_options();
    auto* const optimizer = graph()->mutable_optimizer_options();
    rewrite->set_constant_folding(toggle(config.constant_folding));
    rewrite->set_common_subgraph_elimination(toggle(config.common_subexpressions));
    optimizer->set_do_constant_folding(config.constant_folding);
    optimizer->set_do_common_subexpression_elimination(config.common_subexpressions);
    if (config.constant_folding || config.common_subexpressions) {
      rewrite->set_disable_meta_optimizer(false);
    }
  }
  if (config.function_inlining != now.function_inlining) {
    graph()->mutable_rewrite_options()->set_function_optimization(toggle(config.function_inlining));
    graph()->mutable_optimizer_options()->set_do_function_inlining(config.function_inlining);
  }
  if (config.max_folded_bytes != now.max_folded_bytes) {
    graph()->mutable_optimizer_options()->set_max_folded_constant_in_bytes(config.max_folded_bytes);
  }
  if (config.bfloat16_sendrecv != now.bfloat16_sendrecv) {
    graph()->set_enable_bfloat16_sendrecv(config.bfloat16_sendrecv);
  }
  if (config.place_pruned_graph != now.place_pruned_graph) {
    graph()->set_place_pruned_graph(config.place_pruned_graph);
  }
  if (config.build_cost_model != now.build_cost_model) {
    graph()->set_build_cost_model(config.build_cost_model);
  }
  if (config.build_cost_model_after != now.build_cost_model_after) {
    graph()->set_build_cost_model_after(config.build_cost_model_after);
  }
}

void ExperimentalToProto(const SessionConfig& config, const SessionConfig& now,
                         tensorflow::ConfigProto& proto) {
  const auto experimental = [&proto] { return proto.mutable_experimental(); };
  if (config.share_state_in_cluster_propagation != now.share_state_in_cluster_propagation) {
    experimental()->set_share_session_state_in_clusterspec_propagation(
        config.share_state_in_cluster_propagation);
  }
  if (config.disable_functional_lowering != now.disable_functional_lowering) {
    experimental()->set_disable_functional_ops_lowering(config.disable_functional_lowering);
  }
  if (config.collective_group_leader != now.collective_group_leader) {
    experimental()->set_collective_group_leader(config.collective_group_leader);
  }
  if (config.recv_buf_max_chunk != now.recv_buf_max_chunk) {
    experimental()->set_recv_buf_max_chunk(static_cast<int32_t>(config.recv_buf_max_chunk));
  }
}

bool SameCluster(const SessionConfig& a, const SessionConfig& b) {
  return a.cluster == b.cluster || (a.cluster && b.cluster && *a.cluster == *b.cluster);
}

void ResourcesToProto(const SessionConfig& config, const SessionConfig& now,
                      tensorflow::ConfigProto& proto) {
  if (config.device_count != now.device_count) {
    proto.clear_device_count();
    for (const auto& [type, count] : config.device_count) {
      (*proto.mutable_device_count())[type] = count;
    }
  }
  if (config.device_filters != now.device_filters) {
    proto.clear_device_filters();
    for (const std::string& filter : config.device_filters) proto.add_device_filters(filter);
  }
  if (config.num_session_thread_pools != now.num_session_thread_pools) {
    proto.clear_session_inter_op_thread_pool();
    for (int i = 0; i < config.num_session_thread_pools; ++i) {
      proto.add_session_inter_op_thread_pool();
    }
  }
  if (config.gpu_memory_fraction != now.gpu_memory_fraction) {
    proto.mutable_gpu_options()->set_per_process_gpu_memory_fraction(config.gpu_memory_fraction);
  }
  if (!SameCluster(config, now)) {
    proto.clear_cluster_def();
    if (config.cluster) ClusterToProto(*config.cluster, *proto.mutable_cluster_def());
  }
}

}  // namespace

StatusOr<service::ClusterSpec> ClusterFromProto(const tensorflow::ClusterDef& proto) {
  service::ClusterSpec cluster;
  for (const auto& job : proto.job()) {
    service::ClusterSpec::Tasks tasks(job.tasks().begin(), job.tasks().end());
    RHEO_RETURN_IF_ERROR(cluster.AddJob(job.name(), std::move(tasks)));
  }
  return cluster;
}

void ClusterToProto(const service::ClusterSpec& cluster, tensorflow::ClusterDef& proto) {
  for (const auto& [name, tasks] : cluster.jobs()) {
    auto* const job = proto.add_job();
    job->set_name(name);
    for (const auto& [index, address] : tasks) (*job->mutable_tasks())[index] = address;
  }
}

StatusOr<SessionConfig> ConfigFromProto(const tensorflow::ConfigProto& proto) {
  SessionConfig config;
  config.device_count.insert(proto.device_count().begin(), proto.device_count().end());
  config.intra_op_threads = proto.intra_op_parallelism_threads();
  config.inter_op_threads = proto.inter_op_parallelism_threads();
  config.device_filters.assign(proto.device_filters().begin(), proto.device_filters().end());
  config.allow_soft_placement = proto.allow_soft_placement();
  config.log_device_placement = proto.log_device_placement();
  config.operation_timeout_ms = proto.operation_timeout_in_ms();
  config.isolate_session_state = proto.isolate_session_state();
  const auto& experimental = proto.experimental();
  config.share_cluster_devices =
      proto.share_cluster_devices_in_session() || experimental.share_cluster_devices_in_session();
  config.share_state_in_cluster_propagation =
      experimental.share_session_state_in_clusterspec_propagation();
  config.use_per_session_threads = proto.use_per_session_threads();
  config.num_session_thread_pools = proto.session_inter_op_thread_pool_size();
  if (proto.cluster_def().job_size() > 0) {
    RHEO_ASSIGN_OR_RETURN(service::ClusterSpec cluster, ClusterFromProto(proto.cluster_def()));
    config.cluster = std::make_shared<const service::ClusterSpec>(std::move(cluster));
  }
  GraphOptionsFromProto(proto.graph_options(), config);
  config.disable_functional_lowering = experimental.disable_functional_ops_lowering();
  config.collective_group_leader = experimental.collective_group_leader();
  config.recv_buf_max_chunk = experimental.recv_buf_max_chunk();
  config.gpu_memory_fraction = proto.gpu_options().per_process_gpu_memory_fraction();
  config.without_effect = OptionsWithoutEffect(proto);
  config.raw = proto.SerializeAsString();
  return config;
}

void ConfigToProto(const SessionConfig& config, tensorflow::ConfigProto& proto) {
  SessionConfig now;
  if (proto.ParseFromString(config.raw)) {
    if (StatusOr<SessionConfig> parsed = ConfigFromProto(proto); parsed.ok()) {
      now = *std::move(parsed);
    }
  }
  ResourcesToProto(config, now, proto);
  GraphOptionsToProto(config, now, proto);
  ExperimentalToProto(config, now, proto);
  proto.set_intra_op_parallelism_threads(config.intra_op_threads);
  proto.set_inter_op_parallelism_threads(config.inter_op_threads);
  proto.set_allow_soft_placement(config.allow_soft_placement);
  proto.set_log_device_placement(config.log_device_placement);
  proto.set_operation_timeout_in_ms(config.operation_timeout_ms);
  proto.set_isolate_session_state(config.isolate_session_state);
  proto.set_use_per_session_threads(config.use_per_session_threads);
  if (config.share_cluster_devices != now.share_cluster_devices) {
    proto.set_share_cluster_devices_in_session(config.share_cluster_devices);
    if (proto.has_experimental()) {
      proto.mutable_experimental()->clear_share_cluster_devices_in_session();
    }
  }
}

StatusOr<service::ServerDef> ServerFromProto(const tensorflow::ServerDef& proto) {
  service::ServerDef def;
  RHEO_ASSIGN_OR_RETURN(def.cluster, ClusterFromProto(proto.cluster()));
  def.job_name = proto.job_name();
  def.task_index = proto.task_index();
  def.replica = proto.replica();
  def.port = proto.port();
  def.protocol = proto.protocol();
  RHEO_ASSIGN_OR_RETURN(def.default_session_config,
                        ConfigFromProto(proto.default_session_config()));
  return def;
}

void ServerToProto(const service::ServerDef& def, tensorflow::ServerDef& proto) {
  if (!def.cluster.empty()) ClusterToProto(def.cluster, *proto.mutable_cluster());
  proto.set_job_name(def.job_name);
  proto.set_task_index(def.task_index);
  proto.set_replica(def.replica);
  proto.set_port(def.port);
  proto.set_protocol(def.protocol);
  ConfigToProto(def.default_session_config, *proto.mutable_default_session_config());
  if (proto.default_session_config().ByteSizeLong() == 0) proto.clear_default_session_config();
}

}  // namespace rheo::wire
