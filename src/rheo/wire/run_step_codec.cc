// RunStep and RunCallable: feeds and fetches are borrowed, or read into place.
#include "rheo/wire/codec.h"
#include "rheo/wire/config_codec.h"
#include "rheo/wire/message_builder.h"
#include "rheo/wire/message_reader.h"
#include "rheo/wire/proto/config.pb.h"
#include "rheo/wire/status_codec.h"

namespace rheo::wire {
namespace {

std::string Serialized(const service::RunOptions& options) {
  tensorflow::RunOptions proto;
  RunOptionsToProto(options, proto);
  return proto.SerializeAsString();
}

bool ReadOptions(MessageReader& reader, service::RunOptions& options) {
  tensorflow::RunOptions proto;
  if (!ReadMessage(reader.in(), proto)) return false;
  options = RunOptionsFromProto(proto);
  return true;
}

bool ReadMetadataField(MessageReader& reader, service::RunMetadata& metadata) {
  Status error;
  if (!ReadSub(reader.in(),
               [&] { return ReadMetadata(reader.in(), reader.context(), metadata, error); })) {
    return false;
  }
  reader.Keep(std::move(error));
  return true;
}

}  // namespace

Message Encode(const service::RunStepRequest& value, BodyErrors body_errors) {
  MessageBuilder builder;
  builder.AddString(1, value.session.value);
  for (const service::NamedTensor& feed : value.feeds) {
    PutNamedTensor(2, feed.name, feed.tensor, builder);
  }
  for (const std::string& fetch : value.fetches) builder.PutString(3, fetch);
  for (const std::string& target : value.targets) builder.PutString(4, target);
  builder.PutString(5, Serialized(value.options));
  builder.AddString(6, value.partial_run_handle);
  builder.AddBool(7, body_errors.wanted);
  builder.AddInt(8, value.request_id.value);
  return std::move(builder).Finish();
}

Status Decode(Source& source, service::RunStepRequest& value, BodyErrors& body_errors) {
  value = {};
  MessageReader reader(source);
  CodedInputStream& in = reader.in();
  return reader.Read(BadRequest(), [&](uint32_t tag) {
    switch (tag) {
      case BytesField(1):
        return ReadBytes(in, value.session.value);
      case BytesField(2): {
        const size_t i = value.feeds.size();
        service::NamedTensor& feed = value.feeds.emplace_back();
        return reader.ReadNamedTensor(feed.name, feed.tensor,
                                      [i] { return fmt::format("feed value {}", i); });
      }
      case BytesField(3):
        return ReadBytesInto(in, value.fetches);
      case BytesField(4):
        return ReadBytesInto(in, value.targets);
      case BytesField(5):
        return ReadOptions(reader, value.options);
      case BytesField(6):
        return ReadBytes(in, value.partial_run_handle);
      case IntField(7):
        return ReadBool(in, body_errors.wanted);
      case IntField(8):
        return ReadInt(in, value.request_id.value);
      default:
        return SkipField(in, tag);
    }
  });
}

Message Encode(const service::RunStepResponse& value, const Status& error) {
  MessageBuilder builder;
  for (const service::NamedTensor& t : value.tensors) {
    PutNamedTensor(1, t.name, t.tensor, builder);
  }
  builder.PutMessage(2, SerializeMetadata(value.metadata));
  builder.AddInt(3, static_cast<int>(error.code()));
  builder.AddString(4, ToUtf8(rheo::Message(error)));
  return std::move(builder).Finish();
}

Status Decode(Source& source, service::RunStepResponse& value, Status& error) {
  value = {};
  int64_t code = 0;
  std::string text;
  MessageReader reader(source);
  CodedInputStream& in = reader.in();
  Status status = reader.Read(BadResponse(), [&](uint32_t tag) {
    switch (tag) {
      case BytesField(1): {
        const size_t i = value.tensors.size();
        service::NamedTensor& t = value.tensors.emplace_back();
        return reader.ReadNamedTensor(t.name, t.tensor,
                                      [i] { return fmt::format("fetch value {}", i); });
      }
      case BytesField(2):
        return ReadMetadataField(reader, value.metadata);
      case IntField(3):
        return ReadInt(in, code);
      case BytesField(4):
        return ReadBytes(in, text);
      default:
        return SkipField(in, tag);
    }
  });
  error = StatusFromBody(code, text);
  return status;
}

Message Encode(const service::RunCallableRequest& value) {
  MessageBuilder builder;
  builder.AddString(1, value.session.value);
  builder.AddInt(2, value.handle);
  for (const Tensor& feed : value.feeds) {
    PutTensor(3, TensorForm(feed, TensorLayout::kProtobuf), builder);
  }
  builder.AddInt(4, value.request_id.value);
  return std::move(builder).Finish();
}

Status Decode(Source& source, service::RunCallableRequest& value) {
  value = {};
  MessageReader reader(source);
  CodedInputStream& in = reader.in();
  return reader.Read(BadRequest(), [&](uint32_t tag) {
    switch (tag) {
      case BytesField(1):
        return ReadBytes(in, value.session.value);
      case IntField(2):
        return ReadInt(in, value.handle);
      case BytesField(3): {
        const size_t i = value.feeds.size();
        return reader.ReadTensorField(value.feeds.emplace_back(),
                                      [i] { return fmt::format("feed value {}", i); });
      }
      case IntField(4):
        return ReadInt(in, value.request_id.value);
      default:
        return SkipField(in, tag);
    }
  });
}

Message Encode(const service::RunCallableResponse& value) {
  MessageBuilder builder;
  for (const Tensor& fetch : value.fetches) {
    PutTensor(1, TensorForm(fetch, TensorLayout::kProtobuf), builder);
  }
  builder.PutMessage(2, SerializeMetadata(value.metadata));
  return std::move(builder).Finish();
}

Status Decode(Source& source, service::RunCallableResponse& value) {
  value = {};
  MessageReader reader(source);
  CodedInputStream& in = reader.in();
  return reader.Read(BadResponse(), [&](uint32_t tag) {
    switch (tag) {
      case BytesField(1): {
        const size_t i = value.fetches.size();
        return reader.ReadTensorField(value.fetches.emplace_back(),
                                      [i] { return fmt::format("fetch value {}", i); });
      }
      case BytesField(2):
        return ReadMetadataField(reader, value.metadata);
      default:
        return SkipField(in, tag);
    }
  });
}

}  // namespace rheo::wire
