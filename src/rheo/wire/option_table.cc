#include "rheo/wire/option_table.h"

#include <algorithm>

namespace rheo::wire {
namespace {

using google::protobuf::FieldDescriptor;
using ProtoMessage = google::protobuf::Message;

constexpr OptionRow kTable[] = {
    {"ConfigProto.device_count", OptionUse::kNothingToDo},
    {"ConfigProto.intra_op_parallelism_threads", OptionUse::kServerWide},
    {"ConfigProto.placement_period", OptionUse::kIgnored},
    {"ConfigProto.device_filters", OptionUse::kApplied},
    {"ConfigProto.inter_op_parallelism_threads", OptionUse::kServerWide},
    {"ConfigProto.gpu_options", OptionUse::kParts},
    {"ConfigProto.allow_soft_placement", OptionUse::kApplied},
    {"ConfigProto.log_device_placement", OptionUse::kApplied},
    {"ConfigProto.use_per_session_threads", OptionUse::kRefused},
    {"ConfigProto.graph_options", OptionUse::kParts},
    {"ConfigProto.operation_timeout_in_ms", OptionUse::kApplied},
    {"ConfigProto.session_inter_op_thread_pool", OptionUse::kRefused},
    {"ConfigProto.rpc_options", OptionUse::kParts},
    {"ConfigProto.cluster_def", OptionUse::kApplied},
    {"ConfigProto.isolate_session_state", OptionUse::kApplied},
    {"ConfigProto.experimental", OptionUse::kParts},
    {"ConfigProto.share_cluster_devices_in_session", OptionUse::kApplied},
    {"ConfigProto.pluggable_device_options", OptionUse::kParts},
    {"ConfigProto.Experimental.collective_group_leader", OptionUse::kServerWide},
    {"ConfigProto.Experimental.executor_type", OptionUse::kIgnored},
    {"ConfigProto.Experimental.recv_buf_max_chunk", OptionUse::kServerWide},
    {"ConfigProto.Experimental.use_numa_affinity", OptionUse::kIgnored},
    {"ConfigProto.Experimental.collective_deterministic_sequential_execution", OptionUse::kIgnored},
    {"ConfigProto.Experimental.collective_nccl", OptionUse::kIgnored},
    {"ConfigProto.Experimental.share_session_state_in_clusterspec_propagation",
     OptionUse::kApplied},
    {"ConfigProto.Experimental.disable_thread_spinning", OptionUse::kNothingToDo},
    {"ConfigProto.Experimental.share_cluster_devices_in_session", OptionUse::kApplied},
    {"ConfigProto.Experimental.session_metadata", OptionUse::kIgnored},
    {"ConfigProto.Experimental.optimize_for_static_graph", OptionUse::kNothingToDo},
    {"ConfigProto.Experimental.enable_mlir_bridge", OptionUse::kIgnored},
    {"ConfigProto.Experimental.disable_output_partition_graphs", OptionUse::kIgnored},
    {"ConfigProto.Experimental.xla_fusion_autotuner_thresh", OptionUse::kIgnored},
    {"ConfigProto.Experimental.enable_mlir_graph_optimization", OptionUse::kIgnored},
    {"ConfigProto.Experimental.mlir_bridge_rollout", OptionUse::kIgnoredUnlessOff},
    {"ConfigProto.Experimental.use_tfrt", OptionUse::kIgnored},
    {"ConfigProto.Experimental.disable_functional_ops_lowering", OptionUse::kApplied},
    {"ConfigProto.Experimental.xla_prefer_single_graph_cluster", OptionUse::kIgnored},
    {"ConfigProto.Experimental.coordination_config", OptionUse::kIgnored},
    {"ConfigProto.Experimental.disable_optimize_for_static_graph", OptionUse::kNothingToDo},
    {"ConfigProto.Experimental.disable_eager_executor_streaming_enqueue", OptionUse::kNothingToDo},
    {"ConfigProto.Experimental.enable_multi_host", OptionUse::kIgnored},
    {"ConfigProto.Experimental.backend_server_port", OptionUse::kIgnored},
    {"ConfigProto.Experimental.target_tpu", OptionUse::kIgnored},
    {"ConfigProto.Experimental.target_gpu", OptionUse::kIgnored},
    {"ConfigProto.Experimental.stream_merge_threshold", OptionUse::kIgnored},
    {"ConfigProto.Experimental.tfrt_use_ifrt", OptionUse::kIgnored},
    {"ConfigProto.Experimental.finalize_function_library_runtime", OptionUse::kIgnored},
    {"ConfigProto.Experimental.finalize_resource_manager", OptionUse::kIgnored},
    {"ConfigProto.Experimental.tf2xla_dump_dir", OptionUse::kIgnored},
    {"ConfigProto.Experimental.online_cost_analysis", OptionUse::kIgnored},
    {"GraphOptions.enable_recv_scheduling", OptionUse::kIgnored},
    {"GraphOptions.optimizer_options", OptionUse::kParts},
    {"GraphOptions.build_cost_model", OptionUse::kApplied},
    {"GraphOptions.infer_shapes", OptionUse::kIgnored},
    {"GraphOptions.place_pruned_graph", OptionUse::kIgnored},
    {"GraphOptions.enable_bfloat16_sendrecv", OptionUse::kApplied},
    {"GraphOptions.timeline_step", OptionUse::kIgnored},
    {"GraphOptions.build_cost_model_after", OptionUse::kApplied},
    {"GraphOptions.rewrite_options", OptionUse::kParts},
    {"OptimizerOptions.do_common_subexpression_elimination", OptionUse::kApplied},
    {"OptimizerOptions.do_constant_folding", OptionUse::kApplied},
    {"OptimizerOptions.opt_level", OptionUse::kApplied},
    {"OptimizerOptions.do_function_inlining", OptionUse::kApplied},
    {"OptimizerOptions.global_jit_level", OptionUse::kIgnoredUnlessOff},
    {"OptimizerOptions.max_folded_constant_in_bytes", OptionUse::kApplied},
    {"OptimizerOptions.cpu_global_jit", OptionUse::kIgnored},
    {"RewriterConfig.layout_optimizer", OptionUse::kIgnoredUnlessOff},
    {"RewriterConfig.disable_model_pruning", OptionUse::kNothingToDo},
    {"RewriterConfig.constant_folding", OptionUse::kApplied},
    {"RewriterConfig.memory_optimization", OptionUse::kIgnored},
    {"RewriterConfig.auto_parallel", OptionUse::kIgnored},
    {"RewriterConfig.memory_optimizer_target_node_name_scope", OptionUse::kIgnored},
    {"RewriterConfig.arithmetic_optimization", OptionUse::kIgnoredUnlessOff},
    {"RewriterConfig.dependency_optimization", OptionUse::kIgnoredUnlessOff},
    {"RewriterConfig.loop_optimization", OptionUse::kIgnoredUnlessOff},
    {"RewriterConfig.function_optimization", OptionUse::kApplied},
    {"RewriterConfig.debug_stripper", OptionUse::kIgnoredUnlessOff},
    {"RewriterConfig.meta_optimizer_iterations", OptionUse::kIgnored},
    {"RewriterConfig.shape_optimization", OptionUse::kIgnoredUnlessOff},
    {"RewriterConfig.remapping", OptionUse::kIgnoredUnlessOff},
    {"RewriterConfig.scoped_allocator_optimization", OptionUse::kIgnoredUnlessOff},
    {"RewriterConfig.scoped_allocator_opts", OptionUse::kIgnored},
    {"RewriterConfig.min_graph_nodes", OptionUse::kIgnored},
    {"RewriterConfig.pin_to_host_optimization", OptionUse::kIgnoredUnlessOff},
    {"RewriterConfig.disable_meta_optimizer", OptionUse::kApplied},
    {"RewriterConfig.meta_optimizer_timeout_ms", OptionUse::kIgnored},
    {"RewriterConfig.fail_on_optimizer_errors", OptionUse::kNothingToDo},
    {"RewriterConfig.implementation_selector", OptionUse::kIgnoredUnlessOff},
    {"RewriterConfig.auto_mixed_precision", OptionUse::kIgnoredUnlessOff},
    {"RewriterConfig.common_subgraph_elimination", OptionUse::kApplied},
    {"RewriterConfig.auto_mixed_precision_mkl", OptionUse::kIgnoredUnlessOff},
    {"RewriterConfig.experimental_disable_compressed_tensor_optimization", OptionUse::kNothingToDo},
    {"RewriterConfig.experimental_disable_folding_quantization_emulation", OptionUse::kNothingToDo},
    {"RewriterConfig.use_plugin_optimizers", OptionUse::kIgnoredUnlessOff},
    {"RewriterConfig.auto_mixed_precision_cpu", OptionUse::kIgnoredUnlessOff},
    {"RewriterConfig.experimental_conditional_code_motion", OptionUse::kIgnoredUnlessOff},
    {"RewriterConfig.auto_mixed_precision_onednn_bfloat16", OptionUse::kIgnoredUnlessOff},
    {"RewriterConfig.disable_tfg_optimizer", OptionUse::kNothingToDo},
    {"RewriterConfig.cpu_layout_conversion", OptionUse::kIgnored},
    {"RewriterConfig.optimizers", OptionUse::kIgnored},
    {"RewriterConfig.custom_optimizers", OptionUse::kIgnored},
    {"RewriterConfig.inter_optimizer_verifier_config", OptionUse::kIgnored},
    {"RewriterConfig.post_optimization_verifier_config", OptionUse::kIgnored},
    {"RPCOptions.use_rpc_for_inprocess_master", OptionUse::kNothingToDo},
    {"RPCOptions.compression_algorithm", OptionUse::kIgnored},
    {"RPCOptions.compression_level", OptionUse::kIgnored},
    {"RPCOptions.cache_rpc_response", OptionUse::kIgnored},
    {"RPCOptions.disable_session_connection_sharing", OptionUse::kIgnored},
    {"RPCOptions.num_channels_per_target", OptionUse::kIgnored},
    {"GPUOptions.per_process_gpu_memory_fraction", OptionUse::kServerWide},
    {"GPUOptions.allocator_type", OptionUse::kIgnored},
    {"GPUOptions.deferred_deletion_bytes", OptionUse::kIgnored},
    {"GPUOptions.allow_growth", OptionUse::kIgnored},
    {"GPUOptions.visible_device_list", OptionUse::kIgnored},
    {"GPUOptions.polling_active_delay_usecs", OptionUse::kIgnored},
    {"GPUOptions.polling_inactive_delay_msecs", OptionUse::kIgnored},
    {"GPUOptions.force_gpu_compatible", OptionUse::kIgnored},
    {"GPUOptions.experimental", OptionUse::kParts},
    {"GPUOptions.Experimental.virtual_devices", OptionUse::kIgnored},
    {"GPUOptions.Experimental.use_unified_memory", OptionUse::kIgnored},
    {"GPUOptions.Experimental.num_dev_to_dev_copy_streams", OptionUse::kIgnored},
    {"GPUOptions.Experimental.collective_ring_order", OptionUse::kIgnored},
    {"GPUOptions.Experimental.timestamped_allocator", OptionUse::kIgnored},
    {"GPUOptions.Experimental.kernel_tracker_max_interval", OptionUse::kIgnored},
    {"GPUOptions.Experimental.kernel_tracker_max_bytes", OptionUse::kIgnored},
    {"GPUOptions.Experimental.kernel_tracker_max_pending", OptionUse::kIgnored},
    {"GPUOptions.Experimental.internal_fragmentation_fraction", OptionUse::kIgnored},
    {"GPUOptions.Experimental.use_cuda_malloc_async", OptionUse::kIgnored},
    {"GPUOptions.Experimental.disallow_retry_on_allocation_failure", OptionUse::kIgnored},
    {"GPUOptions.Experimental.gpu_host_mem_limit_in_mb", OptionUse::kIgnored},
    {"GPUOptions.Experimental.gpu_host_mem_disallow_growth", OptionUse::kIgnored},
    {"GPUOptions.Experimental.num_virtual_devices_per_gpu", OptionUse::kIgnored},
    {"GPUOptions.Experimental.gpu_system_memory_size_in_mb", OptionUse::kIgnored},
    {"GPUOptions.Experimental.populate_pjrt_gpu_client_creation_info", OptionUse::kIgnored},
    {"GPUOptions.Experimental.node_id", OptionUse::kIgnored},
    {"GPUOptions.Experimental.stream_merge_options", OptionUse::kIgnored},
    {"RunOptions.trace_level", OptionUse::kApplied},
    {"RunOptions.timeout_in_ms", OptionUse::kApplied},
    {"RunOptions.inter_op_thread_pool", OptionUse::kIgnored},
    {"RunOptions.output_partition_graphs", OptionUse::kApplied},
    {"RunOptions.debug_options", OptionUse::kIgnored},
    {"RunOptions.report_tensor_allocations_upon_oom", OptionUse::kIgnored},
    {"RunOptions.experimental", OptionUse::kParts},
    {"RunOptions.Experimental.collective_graph_key", OptionUse::kApplied},
    {"RunOptions.Experimental.use_run_handler_pool", OptionUse::kIgnored},
    {"RunOptions.Experimental.run_handler_pool_options", OptionUse::kIgnored},
    {"CallableOptions.feed", OptionUse::kApplied},
    {"CallableOptions.fetch", OptionUse::kApplied},
    {"CallableOptions.target", OptionUse::kApplied},
    {"CallableOptions.run_options", OptionUse::kApplied},
    {"CallableOptions.tensor_connection", OptionUse::kApplied},
    {"CallableOptions.feed_devices", OptionUse::kRefused},
    {"CallableOptions.fetch_devices", OptionUse::kRefused},
    {"CallableOptions.fetch_skip_sync", OptionUse::kNothingToDo},
};

const OptionRow* FindRow(const FieldDescriptor& field) {
  const auto* const row = std::ranges::find(kTable, OptionName(field), &OptionRow::field);
  return row == std::end(kTable) ? nullptr : row;
}

bool IsOff(const ProtoMessage& options, const FieldDescriptor& field) {
  if (field.cpp_type() != FieldDescriptor::CPPTYPE_ENUM || field.is_repeated()) return false;
  const std::string& name = options.GetReflection()->GetEnum(options, &field)->name();
  return name.ends_with("OFF") || name.ends_with("DISABLED");
}

void Collect(const ProtoMessage& options, const std::string& prefix,
             std::vector<std::string>& paths) {
  std::vector<const FieldDescriptor*> set;
  options.GetReflection()->ListFields(options, &set);
  for (const FieldDescriptor* field : set) {
    const OptionRow* row = FindRow(*field);
    // A field of a newer TensorFlow would be unknown to the message; all others have a row.
    if (row == nullptr) continue;
    const std::string path = prefix + field->name();
    switch (row->use) {
      case OptionUse::kParts:
        Collect(options.GetReflection()->GetMessage(options, field), path + '.', paths);
        break;
      case OptionUse::kIgnoredUnlessOff:
        if (!IsOff(options, *field)) paths.push_back(path);
        break;
      case OptionUse::kIgnored:
      case OptionUse::kServerWide:
        paths.push_back(path);
        break;
      case OptionUse::kApplied:
      case OptionUse::kRefused:
      case OptionUse::kNothingToDo:
        break;
    }
  }
}

}  // namespace

std::span<const OptionRow> OptionTable() { return kTable; }

std::string OptionName(const FieldDescriptor& field) {
  constexpr std::string_view kPackage = "tensorflow.";
  const std::string& name = field.full_name();
  return name.starts_with(kPackage) ? name.substr(kPackage.size()) : name;
}

std::vector<std::string> OptionsWithoutEffect(const ProtoMessage& options) {
  std::vector<std::string> paths;
  Collect(options, "", paths);
  return paths;
}

}  // namespace rheo::wire
