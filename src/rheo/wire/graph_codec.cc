#include "rheo/wire/graph_codec.h"

#include <fmt/format.h>

#include <algorithm>

namespace rheo::wire {
namespace {

using google::protobuf::Message;

// True when the message has fields that this code does not know.
bool HasUnknownFields(const Message& proto) {
  return !proto.GetReflection()->GetUnknownFields(proto).empty();
}

// What is left in a message whose interpreted fields were cleared.
std::string TakeExtra(const Message& proto) { return proto.SerializeAsString(); }

// The inverse. `extra` is our own; were it damaged, it would only be missing.
template <typename Proto>
void MergeExtra(const std::string& extra, Proto& proto) {
  if (extra.empty()) return;
  Proto rest;
  if (rest.ParseFromString(extra)) proto.MergeFrom(rest);
}

void TakeStrings(google::protobuf::RepeatedPtrField<std::string>& from,
                 std::vector<std::string>& to) {
  to.reserve(static_cast<size_t>(from.size()));
  for (std::string& s : from) to.push_back(std::move(s));
}

Status NodeFromProto(tensorflow::NodeDef& proto, DecodeContext& context, graph::NodeDef& node) {
  node.name = std::move(*proto.mutable_name());
  node.op = std::move(*proto.mutable_op());
  TakeStrings(*proto.mutable_input(), node.inputs);
  node.device = std::move(*proto.mutable_device());
  const Status status = AttrsFromProto(*proto.mutable_attr(), context, node.attrs);
  if (!status.ok()) return Prefix(status, fmt::format("node '{}': ", node.name));
  if (proto.has_experimental_debug_info() || proto.has_experimental_type() ||
      HasUnknownFields(proto)) {
    proto.clear_name();
    proto.clear_op();
    proto.clear_input();
    proto.clear_device();
    proto.clear_attr();
    node.extra = TakeExtra(proto);
  }
  return OkStatus();
}

void NodeToProto(const graph::NodeDef& node, tensorflow::NodeDef& proto) {
  MergeExtra(node.extra, proto);
  proto.set_name(node.name);
  proto.set_op(node.op);
  for (const std::string& input : node.inputs) proto.add_input(input);
  proto.set_device(node.device);
  AttrsToProto(node.attrs, *proto.mutable_attr());
}

using ProtoStrings = google::protobuf::Map<std::string, std::string>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

// In order of the keys: a map has none of its own.
void PairsFromProto(const ProtoStrings& proto, Pairs& pairs) {
  for (const auto& [key, value] : proto) pairs.emplace_back(key, value);
  std::sort(pairs.begin(), pairs.end());
}

void PairsToProto(const Pairs& pairs, ProtoStrings& proto) {
  for (const auto& [key, value] : pairs) proto[key] = value;
}

Status FunctionBodyFromProto(tensorflow::FunctionDef& proto, DecodeContext& context,
                             graph::FunctionDef& function) {
  RHEO_RETURN_IF_ERROR(SchemaFromProto(*proto.mutable_signature(), context, function.signature));
  function.nodes.reserve(static_cast<size_t>(proto.node_def_size()));
  for (auto& node : *proto.mutable_node_def()) {
    RHEO_RETURN_IF_ERROR(NodeFromProto(node, context, function.nodes.emplace_back()));
  }
  PairsFromProto(proto.ret(), function.returns);
  PairsFromProto(proto.control_ret(), function.control_returns);
  return AttrsFromProto(*proto.mutable_attr(), context, function.attrs);
}

Status FunctionFromProto(tensorflow::FunctionDef& proto, DecodeContext& context,
                         graph::FunctionDef& function) {
  const std::string name = proto.signature().name();
  const Status status = FunctionBodyFromProto(proto, context, function);
  if (!status.ok()) return Prefix(status, fmt::format("function '{}': ", name));
  if (proto.signature().ByteSizeLong() == 0) proto.clear_signature();
  proto.clear_node_def();
  proto.clear_ret();
  proto.clear_control_ret();
  proto.clear_attr();
  function.extra = TakeExtra(proto);
  return OkStatus();
}

void FunctionToProto(const graph::FunctionDef& function, tensorflow::FunctionDef& proto) {
  MergeExtra(function.extra, proto);
  SchemaToProto(function.signature, *proto.mutable_signature());
  for (const graph::NodeDef& node : function.nodes) NodeToProto(node, *proto.add_node_def());
  PairsToProto(function.returns, *proto.mutable_ret());
  PairsToProto(function.control_returns, *proto.mutable_control_ret());
  AttrsToProto(function.attrs, *proto.mutable_attr());
}

Status LibraryFromProto(tensorflow::FunctionDefLibrary& proto, DecodeContext& context,
                        graph::FunctionLibrary& library) {
  for (auto& function : *proto.mutable_function()) {
    RHEO_RETURN_IF_ERROR(FunctionFromProto(function, context, library.functions.emplace_back()));
  }
  for (const auto& gradient : proto.gradient()) {
    library.gradients.push_back({gradient.function_name(), gradient.gradient_func()});
  }
  proto.clear_function();
  proto.clear_gradient();
  library.extra = TakeExtra(proto);
  return OkStatus();
}

void LibraryToProto(const graph::FunctionLibrary& library, tensorflow::FunctionDefLibrary& proto) {
  MergeExtra(library.extra, proto);
  for (const graph::FunctionDef& f : library.functions) FunctionToProto(f, *proto.add_function());
  for (const graph::GradientDef& g : library.gradients) {
    auto* const made = proto.add_gradient();
    made->set_function_name(g.function);
    made->set_gradient_func(g.gradient);
  }
}

}  // namespace

Status GraphFromProto(tensorflow::GraphDef& proto, DecodeContext& context, graph::GraphDef& def) {
  def.nodes.reserve(static_cast<size_t>(proto.node_size()));
  for (auto& node : *proto.mutable_node()) {
    RHEO_RETURN_IF_ERROR(NodeFromProto(node, context, def.nodes.emplace_back()));
  }
  if (proto.has_library()) {
    RHEO_RETURN_IF_ERROR(LibraryFromProto(*proto.mutable_library(), context, def.library));
  }
  def.versions.producer = proto.versions().producer();
  def.versions.min_consumer = proto.versions().min_consumer();
  const auto& bad = proto.versions().bad_consumers();
  def.versions.bad_consumers.assign(bad.begin(), bad.end());
  proto.clear_node();
  proto.clear_library();
  proto.clear_versions();
  def.extra = TakeExtra(proto);
  return OkStatus();
}

void GraphToProto(const graph::GraphDef& def, tensorflow::GraphDef& proto) {
  if (def.nodes.empty() && def.library.functions.empty() && def.library.gradients.empty() &&
      def.versions == graph::Versions() && def.extra.empty() && def.library.extra.empty()) {
    return;  // 0 bytes, as a client sends it before it has a graph
  }
  MergeExtra(def.extra, proto);
  proto.mutable_node()->Reserve(static_cast<int>(def.nodes.size()));
  for (const graph::NodeDef& node : def.nodes) NodeToProto(node, *proto.add_node());
  LibraryToProto(def.library, *proto.mutable_library());
  auto* const versions = proto.mutable_versions();
  versions->set_producer(def.versions.producer);
  versions->set_min_consumer(def.versions.min_consumer);
  for (const int v : def.versions.bad_consumers) versions->add_bad_consumers(v);
}

}  // namespace rheo::wire
