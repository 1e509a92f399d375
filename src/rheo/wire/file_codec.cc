// Definitions in files and flags: text or binary.
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>

#include "rheo/wire/codec.h"
#include "rheo/wire/config_codec.h"
#include "rheo/wire/graph_codec.h"
#include "rheo/wire/message_reader.h"
#include "rheo/wire/proto_codec.h"
#include "rheo/wire/tensor_codec.h"

namespace rheo::wire {
namespace {

constexpr int kMaxTextDepth = 100;  // as protobuf's limit for binary messages

// Keeps the first error, with its place.
class FirstError final : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (text_.empty()) text_ = fmt::format("line {}, column {}: {}", line + 1, column + 1, message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Text has no control characters but white space.
bool MayBeText(std::string_view bytes) {
  return std::none_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\n' && c != '\r' && c != '\t';
  });
}

template <typename Proto>
Status ParseText(std::string_view bytes, Proto& proto) {
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(kMaxTextDepth);
  if (parser.ParseFromString(std::string(bytes), &proto)) return OkStatus();
  return InvalidArgument("not a {} in text form: {}", Proto::descriptor()->name(), error.text());
}

template <typename Proto>
Status NeitherForm(std::string_view bytes) {
  return InvalidArgument("{} bytes that are no {}, neither in text form nor in binary",
                         bytes.size(), Proto::descriptor()->name());
}

template <typename Proto>
Status ParseAny(std::string_view bytes, Proto& proto) {
  Status text_status;
  if (MayBeText(bytes)) {
    text_status = ParseText(bytes, proto);
    if (text_status.ok()) return text_status;
  }
  if (bytes.size() <= INT32_MAX &&
      proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return OkStatus();
  }
  if (!text_status.ok()) return text_status;
  return NeitherForm<Proto>(bytes);
}

}  // namespace

StatusOr<service::ServerDef> ParseServerDef(std::string_view bytes) {
  tensorflow::ServerDef proto;
  RHEO_RETURN_IF_ERROR(ParseAny(bytes, proto));
  return ServerFromProto(proto);
}

StatusOr<graph::GraphDef> ParseGraphDef(std::string_view bytes) {
  std::string binary;
  Status text_status;
  if (MayBeText(bytes)) {
    google::protobuf::Arena arena;
    auto& proto = *google::protobuf::Arena::CreateMessage<tensorflow::GraphDef>(&arena);
    text_status = ParseText(bytes, proto);
    if (text_status.ok()) {
      binary = proto.SerializeAsString();
      bytes = binary;
    }
  }
  graph::GraphDef def;
  Source source(bytes);
  MessageReader reader(source);
  Status error;
  const Status malformed =
      text_status.ok() ? NeitherForm<tensorflow::GraphDef>(bytes) : text_status;
  if (bytes.size() > INT32_MAX || !ReadGraph(reader.in(), reader.context(), def, error)) {
    return malformed;
  }
  RHEO_RETURN_IF_ERROR(error);
  return def;
}

std::string SerializeGraphDef(const graph::GraphDef& def) { return SerializeGraph(def); }

std::string SerializeServerDef(const service::ServerDef& def) {
  return EncodeProto<tensorflow::ServerDef>([&](auto& p) { ServerToProto(def, p); }).Flatten();
}

Message EncodeTensor(const Tensor& tensor) {
  MessageBuilder builder;
  TensorForm(tensor, TensorLayout::kProtobuf).AppendTo(builder);
  return std::move(builder).Finish();
}

StatusOr<Tensor> DecodeTensor(std::string_view bytes) {
  google::protobuf::Arena arena;
  auto& proto = *google::protobuf::Arena::CreateMessage<tensorflow::TensorProto>(&arena);
  if (bytes.size() > INT32_MAX ||
      !proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return InvalidArgument("{} bytes that are no TensorProto", bytes.size());
  }
  DecodeContext context;
  return TensorFromProto(proto, context);
}

}  // namespace rheo::wire
