// Options of a step and what is told about it afterwards.
#include <algorithm>

#include "rheo/wire/config_codec.h"
#include "rheo/wire/graph_codec.h"
#include "rheo/wire/message_builder.h"
#include "rheo/wire/option_table.h"
#include "rheo/wire/reader.h"

namespace rheo::wire {
namespace {

constexpr int64_t kNanosPerMicro = 1000;

// TensorFlow writes times twice; older writers only the coarse ones.
int64_t Nanos(int64_t nanos, int64_t micros) {
  if (nanos != 0) return nanos;
  return micros > INT64_MAX / kNanosPerMicro || micros < INT64_MIN / kNanosPerMicro
             ? 0
             : micros * kNanosPerMicro;
}

trace::NodeStats::Output OutputFromProto(const tensorflow::NodeOutput& proto) {
  const auto& tensor = proto.tensor_description();
  trace::NodeStats::Output output;
  output.slot = proto.slot();
  output.dtype = tensor.dtype();
  for (const auto& dim : tensor.shape().dim()) output.dims.push_back(dim.size());
  output.num_bytes = tensor.allocation_description().requested_bytes();
  return output;
}

void OutputToProto(const trace::NodeStats::Output& output, tensorflow::NodeOutput& proto) {
  proto.set_slot(output.slot);
  auto* const tensor = proto.mutable_tensor_description();
  tensor->set_dtype(static_cast<tensorflow::DataType>(output.dtype));
  auto* const shape = tensor->mutable_shape();
  for (const int64_t size : output.dims) shape->add_dim()->set_size(size);
  tensor->mutable_allocation_description()->set_requested_bytes(output.num_bytes);
}

trace::NodeStats NodeFromProto(const tensorflow::NodeExecStats& proto) {
  trace::NodeStats node;
  node.node_name = proto.node_name();
  node.label = proto.timeline_label();
  node.start_nanos = Nanos(proto.all_start_nanos(), proto.all_start_micros());
  node.op_start_rel_nanos = Nanos(proto.op_start_rel_nanos(), proto.op_start_rel_micros());
  node.op_end_rel_nanos = Nanos(proto.op_end_rel_nanos(), proto.op_end_rel_micros());
  node.end_rel_nanos = Nanos(proto.all_end_rel_nanos(), proto.all_end_rel_micros());
  node.scheduled_nanos = Nanos(proto.scheduled_nanos(), proto.scheduled_micros());
  node.thread_id = proto.thread_id();
  for (const auto& output : proto.output()) node.outputs.push_back(OutputFromProto(output));
  return node;
}

void NodeToProto(const trace::NodeStats& node, tensorflow::NodeExecStats& proto) {
  proto.set_node_name(node.node_name);
  proto.set_timeline_label(node.label);
  proto.set_all_start_nanos(node.start_nanos);
  proto.set_op_start_rel_nanos(node.op_start_rel_nanos);
  proto.set_op_end_rel_nanos(node.op_end_rel_nanos);
  proto.set_all_end_rel_nanos(node.end_rel_nanos);
  proto.set_scheduled_nanos(node.scheduled_nanos);
  proto.set_all_start_micros(node.start_nanos / kNanosPerMicro);
  proto.set_op_start_rel_micros(node.op_start_rel_nanos / kNanosPerMicro);
  proto.set_op_end_rel_micros(node.op_end_rel_nanos / kNanosPerMicro);
  proto.set_all_end_rel_micros(node.end_rel_nanos / kNanosPerMicro);
  proto.set_scheduled_micros(node.scheduled_nanos / kNanosPerMicro);
  proto.set_thread_id(node.thread_id);
  for (const auto& output : node.outputs) OutputToProto(output, *proto.add_output());
}

void CostOutputToProto(const trace::NodeStats::Output& output,
                       tensorflow::CostGraphDef::Node::OutputInfo& proto) {
  proto.set_alias_input_port(-1);
  if (output.dtype == 0) {
    proto.set_size(-1);
    proto.mutable_shape()->set_unknown_rank(true);
    return;
  }
  proto.set_size(output.num_bytes);
  proto.set_dtype(static_cast<tensorflow::DataType>(output.dtype));
  proto.mutable_shape();
  for (int64_t dim : output.dims) proto.mutable_shape()->add_dim()->set_size(dim);
}

}  // namespace

std::string SerializeCosts(const trace::CostGraph& costs) {
  tensorflow::CostGraphDef proto;
  for (const trace::CostNode& from : costs) {
    auto* const node = proto.add_node();
    node->set_name(from.name);
    node->set_device(from.device);
    node->set_id(from.id);
    for (const auto& [source, port] : from.inputs) {
      auto* const input = node->add_input_info();
      input->set_preceding_node(source);
      input->set_preceding_port(port);
    }
    for (const trace::NodeStats::Output& output : from.outputs) {
      CostOutputToProto(output, *node->add_output_info());
    }
    for (int source : from.control_inputs) node->add_control_input(source);
    node->set_compute_cost(from.compute_micros);
    node->set_is_final(from.is_final);
  }
  return proto.SerializeAsString();
}

trace::StepStats StatsFromProto(const tensorflow::StepStats& proto) {
  trace::StepStats stats;
  for (const auto& from : proto.dev_stats()) {
    trace::DeviceStats& device = stats.devices.emplace_back();
    device.device = from.device();
    for (const auto& node : from.node_stats()) device.nodes.push_back(NodeFromProto(node));
    device.thread_names.insert(from.thread_names().begin(), from.thread_names().end());
  }
  return stats;
}

void StatsToProto(const trace::StepStats& stats, tensorflow::StepStats& proto) {
  for (const trace::DeviceStats& from : stats.devices) {
    auto* const device = proto.add_dev_stats();
    device->set_device(from.device);
    for (const trace::NodeStats& node : from.nodes) NodeToProto(node, *device->add_node_stats());
    device->mutable_thread_names()->insert(from.thread_names.begin(), from.thread_names.end());
  }
}

service::RunOptions RunOptionsFromProto(const tensorflow::RunOptions& proto) {
  service::RunOptions options;
  if (proto.trace_level() > 0) {
    options.trace = static_cast<service::TraceLevel>(std::min<int>(proto.trace_level(), 3));
  }
  options.timeout_ms = proto.timeout_in_ms();
  options.output_partition_graphs = proto.output_partition_graphs();
  options.report_allocations_upon_oom = proto.report_tensor_allocations_upon_oom();
  options.collective_graph_key = proto.experimental().collective_graph_key();
  options.raw = proto.SerializeAsString();
  if (!options.raw.empty()) options.without_effect = OptionsWithoutEffect(proto);
  return options;
}

void RunOptionsToProto(const service::RunOptions& options, tensorflow::RunOptions& proto) {
  if (!proto.ParseFromString(options.raw)) proto.Clear();
  proto.set_trace_level(static_cast<tensorflow::RunOptions::TraceLevel>(options.trace));
  proto.set_timeout_in_ms(options.timeout_ms);
  proto.set_output_partition_graphs(options.output_partition_graphs);
  proto.set_report_tensor_allocations_upon_oom(options.report_allocations_upon_oom);
  if (options.collective_graph_key != proto.experimental().collective_graph_key()) {
    proto.mutable_experimental()->set_collective_graph_key(options.collective_graph_key);
  }
}

service::CallableOptions CallableFromProto(const tensorflow::CallableOptions& proto) {
  service::CallableOptions options;
  options.feeds.assign(proto.feed().begin(), proto.feed().end());
  options.fetches.assign(proto.fetch().begin(), proto.fetch().end());
  options.targets.assign(proto.target().begin(), proto.target().end());
  options.run_options = RunOptionsFromProto(proto.run_options());
  for (const auto& c : proto.tensor_connection()) {
    options.tensor_connections.emplace_back(c.from_tensor(), c.to_tensor());
  }
  options.has_feed_or_fetch_devices =
      !proto.feed_devices().empty() || !proto.fetch_devices().empty();
  return options;
}

void CallableToProto(const service::CallableOptions& options, tensorflow::CallableOptions& proto) {
  for (const std::string& feed : options.feeds) proto.add_feed(feed);
  for (const std::string& fetch : options.fetches) proto.add_fetch(fetch);
  for (const std::string& target : options.targets) proto.add_target(target);
  RunOptionsToProto(options.run_options, *proto.mutable_run_options());
  if (proto.run_options().ByteSizeLong() == 0) proto.clear_run_options();
  for (const auto& [from, to] : options.tensor_connections) {
    auto* const connection = proto.add_tensor_connection();
    connection->set_from_tensor(from);
    connection->set_to_tensor(to);
  }
  if (options.has_feed_or_fetch_devices) {
    // Which they are the struct does not say; that there are some is what makes a server refuse.
    for (const std::string& feed : options.feeds) (*proto.mutable_feed_devices())[feed] = "";
    for (const std::string& fetch : options.fetches) (*proto.mutable_fetch_devices())[fetch] = "";
  }
}

bool ReadMetadata(CodedInputStream& in, DecodeContext& context, service::RunMetadata& metadata,
                  Status& error) {
  return ReadFields(in, [&](uint32_t tag) {
    switch (tag) {
      case BytesField(1): {
        tensorflow::StepStats proto;
        if (!ReadMessage(in, proto)) return false;
        metadata.step_stats = StatsFromProto(proto);
        return true;
      }
      case BytesField(2):
        return ReadBytes(in, metadata.cost_graph);
      case BytesField(3):
        return ReadSub(in, [&] {
          return ReadGraph(in, context, metadata.partition_graphs.emplace_back(), error);
        });
      default:
        return SkipField(in, tag);
    }
  });
}

std::string SerializeMetadata(const service::RunMetadata& metadata) {
  std::string bytes;
  if (!metadata.step_stats.devices.empty()) {
    tensorflow::StepStats proto;
    StatsToProto(metadata.step_stats, proto);
    AppendBytes(1, proto.SerializeAsString(), bytes);
  }
  const std::string costs = metadata.cost_graph + SerializeCosts(metadata.costs);
  if (!costs.empty()) AppendBytes(2, costs, bytes);
  for (const graph::GraphDef& graph : metadata.partition_graphs) {
    AppendBytes(3, SerializeGraph(graph), bytes);
  }
  return bytes;
}

}  // namespace rheo::wire
