#include "rheo/wire/graph_codec.h"

#include <fmt/format.h>

#include <algorithm>

#include "rheo/wire/message_builder.h"
#include "rheo/wire/reader.h"

namespace rheo::wire {
namespace {

// Reads the messages of a graph; the first content that makes no sense is kept in `error`.
class GraphReader {
 public:
  GraphReader(CodedInputStream& in, DecodeContext& context, Status& error)
      : in_(in), context_(context), error_(error) {}

  bool ReadGraph(graph::GraphDef& def) {
    return ReadFields(in_, [&](uint32_t tag) {
      switch (tag) {
        case BytesField(1):
          return ReadSub(in_, [&] { return ReadNode(def.nodes.emplace_back()); });
        case BytesField(2):
          return ReadSub(in_, [&] { return ReadLibrary(def.library); });
        case BytesField(4):
          return ReadVersions(def.versions);
        default:
          return CopyField(in_, tag, def.extra);
      }
    });
  }

 private:
  bool ReadNode(graph::NodeDef& node) {
    Status error;
    const bool parsed = ReadFields(in_, [&](uint32_t tag) {
      switch (tag) {
        case BytesField(1):
          return ReadBytes(in_, node.name);
        case BytesField(2):
          return ReadBytes(in_, node.op);
        case BytesField(3):
          return ReadBytesInto(in_, node.inputs);
        case BytesField(4):
          return ReadBytes(in_, node.device);
        case BytesField(5):
          return ReadSub(in_, [&] { return ReadAttrEntry(node.attrs, error); });
        default:
          return CopyField(in_, tag, node.extra);
      }
    });
    Keep(error, "node", node.name);
    return parsed;
  }

  bool ReadAttrEntry(op::AttrMap& attrs, Status& error) {
    std::string name;
    op::AttrValue value;
    Status value_error;
    const bool parsed = ReadFields(in_, [&](uint32_t tag) {
      switch (tag) {
        case BytesField(1):
          return ReadBytes(in_, name);
        case BytesField(2):
          return ReadSub(in_, [&] { return ReadAttr(in_, context_, value, value_error); });
        default:
          return SkipField(in_, tag);
      }
    });
    if (!value_error.ok() && error.ok()) {
      error = Prefix(value_error, fmt::format("attr '{}': ", name));
    }
    attrs.Set(name, std::move(value));
    return parsed;
  }

  bool ReadLibrary(graph::FunctionLibrary& library) {
    return ReadFields(in_, [&](uint32_t tag) {
      switch (tag) {
        case BytesField(1):
          return ReadSub(in_, [&] { return ReadFunction(library.functions.emplace_back()); });
        case BytesField(2):
          return ReadGradient(library.gradients.emplace_back());
        default:
          return CopyField(in_, tag, library.extra);
      }
    });
  }

  bool ReadGradient(graph::GradientDef& gradient) {
    tensorflow::GradientDef proto;
    if (!ReadMessage(in_, proto)) return false;
    gradient = {proto.function_name(), proto.gradient_func()};
    return true;
  }

  bool ReadVersions(graph::Versions& versions) {
    tensorflow::VersionDef proto;
    if (!ReadMessage(in_, proto)) return false;
    versions.producer = proto.producer();
    versions.min_consumer = proto.min_consumer();
    versions.bad_consumers.assign(proto.bad_consumers().begin(), proto.bad_consumers().end());
    return true;
  }

  // The body by hand, all else over a generated message.
  bool ReadFunction(graph::FunctionDef& function) {
    std::string rest;
    const bool parsed = ReadFields(in_, [&](uint32_t tag) {
      if (tag != BytesField(3)) return CopyField(in_, tag, rest);
      return ReadSub(in_, [&] { return ReadNode(function.nodes.emplace_back()); });
    });
    tensorflow::FunctionDef proto;
    if (!parsed || !proto.ParseFromString(rest)) return false;
    const Status status = HeadFromProto(proto, function);
    Keep(status, "function", function.signature.name);
    return true;
  }

  Status HeadFromProto(tensorflow::FunctionDef& proto, graph::FunctionDef& function);

  void Keep(const Status& error, std::string_view kind, std::string_view name) {
    if (!error.ok() && error_.ok()) error_ = Prefix(error, fmt::format("{} '{}': ", kind, name));
  }

  CodedInputStream& in_;
  DecodeContext& context_;
  Status& error_;
};

using Pairs = std::vector<std::pair<std::string, std::string>>;
using ProtoPairs = google::protobuf::Map<std::string, std::string>;

// In order of the keys: a map has none of its own.
void PairsFromProto(const ProtoPairs& proto, Pairs& pairs) {
  for (const auto& [key, value] : proto) pairs.emplace_back(key, value);
  std::sort(pairs.begin(), pairs.end());
}

Status GraphReader::HeadFromProto(tensorflow::FunctionDef& proto, graph::FunctionDef& function) {
  RHEO_RETURN_IF_ERROR(SchemaFromProto(*proto.mutable_signature(), context_, function.signature));
  PairsFromProto(proto.ret(), function.returns);
  PairsFromProto(proto.control_ret(), function.control_returns);
  RHEO_RETURN_IF_ERROR(AttrsFromProto(*proto.mutable_attr(), context_, function.attrs));
  if (proto.signature().ByteSizeLong() == 0) proto.clear_signature();
  proto.clear_ret();
  proto.clear_control_ret();
  proto.clear_attr();
  function.extra = proto.SerializeAsString();
  return OkStatus();
}

// ---- Writing. A submessage is written into a string of its own first, for its length.

void AppendString(int field, std::string_view value, std::string& to) {
  if (!value.empty()) AppendBytes(field, value, to);
}

class GraphWriter {
 public:
  void AppendNode(int field, const graph::NodeDef& node, std::string& to) {
    node_.clear();
    AppendString(1, node.name, node_);
    AppendString(2, node.op, node_);
    for (const std::string& input : node.inputs) AppendBytes(3, input, node_);
    AppendString(4, node.device, node_);
    for (const auto& [name, value] : node.attrs) AppendAttrEntry(name, value);
    node_ += node.extra;
    AppendBytes(field, node_, to);
  }

  void AppendFunction(const graph::FunctionDef& function, std::string& to) {
    tensorflow::FunctionDef proto;
    if (!proto.ParseFromString(function.extra)) proto.Clear();
    SchemaToProto(function.signature, *proto.mutable_signature());
    for (const auto& [key, value] : function.returns) (*proto.mutable_ret())[key] = value;
    for (const auto& [key, value] : function.control_returns) {
      (*proto.mutable_control_ret())[key] = value;
    }
    AttrsToProto(function.attrs, *proto.mutable_attr());
    std::string bytes = proto.SerializeAsString();
    for (const graph::NodeDef& node : function.nodes) AppendNode(3, node, bytes);
    AppendBytes(1, bytes, to);
  }

 private:
  void AppendAttrEntry(std::string_view name, const op::AttrValue& value) {
    attr_.clear();
    AppendAttr(value, attr_);
    AppendVarint(5 << 3 | 2, node_);
    AppendVarint(DelimitedSize(name.size()) + DelimitedSize(attr_.size()), node_);
    AppendBytes(1, name, node_);
    AppendBytes(2, attr_, node_);
  }

  std::string node_;
  std::string attr_;
};

std::string SerializeLibrary(const graph::FunctionLibrary& library) {
  std::string bytes;
  GraphWriter writer;
  for (const graph::FunctionDef& function : library.functions) {
    writer.AppendFunction(function, bytes);
  }
  for (const graph::GradientDef& gradient : library.gradients) {
    tensorflow::GradientDef proto;
    proto.set_function_name(gradient.function);
    proto.set_gradient_func(gradient.gradient);
    AppendBytes(2, proto.SerializeAsString(), bytes);
  }
  return bytes + library.extra;
}

std::string SerializeVersions(const graph::Versions& versions) {
  tensorflow::VersionDef proto;
  proto.set_producer(versions.producer);
  proto.set_min_consumer(versions.min_consumer);
  for (const int v : versions.bad_consumers) proto.add_bad_consumers(v);
  return proto.SerializeAsString();
}

}  // namespace

bool ReadGraph(CodedInputStream& in, DecodeContext& context, graph::GraphDef& def, Status& error) {
  return GraphReader(in, context, error).ReadGraph(def);
}

std::string SerializeGraph(const graph::GraphDef& def) {
  std::string bytes;
  GraphWriter writer;
  for (const graph::NodeDef& node : def.nodes) writer.AppendNode(1, node, bytes);
  const std::string library = SerializeLibrary(def.library);
  const std::string versions = SerializeVersions(def.versions);
  if (bytes.empty() && library.empty() && versions.empty() && def.extra.empty()) {
    return bytes;  // as a client sends it before it has a graph
  }
  AppendBytes(2, library, bytes);
  AppendBytes(4, versions, bytes);
  return bytes + def.extra;
}

}  // namespace rheo::wire
