#include "rheo/service/session_config.h"

namespace rheo::service {
namespace {

// A field counts as set when it differs from what a message without it gives.
template <typename T>
void Overlay(T SessionConfig::*field, const SessionConfig& from, SessionConfig& into) {
  static const SessionConfig kUnset;
  if (from.*field != kUnset.*field) into.*field = from.*field;
}

// Protobuf's MergeFrom on what SessionConfig holds: scalars that are set win, repeated fields are
// appended, maps are overwritten by key, and serialized messages merge when they are concatenated.
void MergeFrom(const SessionConfig& from, SessionConfig& into) {
  for (const auto& [type, count] : from.device_count) into.device_count[type] = count;
  into.device_filters.insert(into.device_filters.end(), from.device_filters.begin(),
                             from.device_filters.end());
  into.num_session_thread_pools += from.num_session_thread_pools;
  into.raw += from.raw;
  Overlay(&SessionConfig::intra_op_threads, from, into);
  Overlay(&SessionConfig::inter_op_threads, from, into);
  Overlay(&SessionConfig::allow_soft_placement, from, into);
  Overlay(&SessionConfig::log_device_placement, from, into);
  Overlay(&SessionConfig::operation_timeout_ms, from, into);
  Overlay(&SessionConfig::isolate_session_state, from, into);
  Overlay(&SessionConfig::share_cluster_devices, from, into);
  Overlay(&SessionConfig::share_state_in_cluster_propagation, from, into);
  Overlay(&SessionConfig::use_per_session_threads, from, into);
  Overlay(&SessionConfig::cluster, from, into);
  Overlay(&SessionConfig::constant_folding, from, into);
  Overlay(&SessionConfig::max_folded_bytes, from, into);
  Overlay(&SessionConfig::common_subexpressions, from, into);
  Overlay(&SessionConfig::function_inlining, from, into);
  Overlay(&SessionConfig::bfloat16_sendrecv, from, into);
  Overlay(&SessionConfig::place_pruned_graph, from, into);
  Overlay(&SessionConfig::build_cost_model, from, into);
  Overlay(&SessionConfig::build_cost_model_after, from, into);
  Overlay(&SessionConfig::disable_functional_lowering, from, into);
  Overlay(&SessionConfig::collective_group_leader, from, into);
  Overlay(&SessionConfig::recv_buf_max_chunk, from, into);
  Overlay(&SessionConfig::gpu_memory_fraction, from, into);
}

}  // namespace

SessionConfig MergeConfig(const SessionConfig& defaults, const SessionConfig& request) {
  SessionConfig merged = defaults;
  MergeFrom(request, merged);
  MergeFrom(defaults, merged);
  return merged;
}

}  // namespace rheo::service
