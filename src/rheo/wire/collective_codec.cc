// The messages of collectives (wire.md 7.10 and 7.11).
#include <algorithm>

#include "rheo/wire/codec.h"
#include "rheo/wire/device_codec.h"
#include "rheo/wire/message_builder.h"
#include "rheo/wire/message_reader.h"
#include "rheo/wire/proto/service.pb.h"
#include "rheo/wire/proto_codec.h"
#include "rheo/wire/tensor_codec.h"

namespace rheo::wire {
namespace {

constexpr std::string_view kExtraType = "type.googleapis.com/tensorflow.RecvBufRespExtra";

std::string_view BytesOf(const Tensor& value) {
  const std::span<const char> bytes = value.bytes();
  return {bytes.data(), bytes.size()};
}

// RecvBufRespExtra: the value's bytes in chunks.
void PutChunks(const Tensor& value, size_t max_chunk, MessageBuilder& builder) {
  const std::string_view bytes = BytesOf(value);
  for (size_t begin = 0; begin < bytes.size(); begin += max_chunk) {
    const std::string_view chunk = bytes.substr(begin, max_chunk);
    builder.StartMessage(1, chunk.size());
    builder.AppendFrom(value.buffer(), chunk);
  }
}

size_t SizeOfChunks(size_t num_bytes, size_t max_chunk) {
  const size_t rest = num_bytes % max_chunk;
  return num_bytes / max_chunk * DelimitedSize(max_chunk) + (rest > 0 ? DelimitedSize(rest) : 0);
}

// The chunks one after the other in one buffer. The submessage is longer than they are together.
bool ReadChunks(MessageReader& reader, service::RecvBufResponse& value) {
  CodedInputStream& in = reader.in();
  int length;
  if (!ReadLength(in, length)) return false;
  StatusOr<Tensor> room = Tensor::Create(HostAllocator(), DType::kUint8, Shape{length});
  if (!room.ok()) {
    reader.Keep(room.status());
    return in.Skip(length);
  }
  const auto limit = in.PushLimit(length);
  auto* const to = static_cast<char*>(room->mutable_data());
  int64_t num_bytes = 0;
  int num_chunks = 0;
  const bool read = ReadFields(in, [&](uint32_t tag) {
    if (tag != BytesField(1)) return SkipField(in, tag);
    int chunk;
    if (!ReadLength(in, chunk) || !in.ReadRaw(to + num_bytes, chunk)) return false;
    if (++num_chunks == 2) value.max_chunk = num_bytes;
    num_bytes += chunk;
    return true;
  });
  if (!read) return false;
  in.PopLimit(limit);
  value.value = room->Rows(0, num_bytes);
  return true;
}

bool ReadExtra(MessageReader& reader, service::RecvBufResponse& value) {
  CodedInputStream& in = reader.in();
  std::string type;
  return ReadSub(in, [&] {
    return ReadFields(in, [&](uint32_t tag) {
      switch (tag) {
        case BytesField(1):
          return ReadBytes(in, type);
        case BytesField(2):
          return type == kExtraType && ReadChunks(reader, value);
        default:
          return SkipField(in, tag);
      }
    });
  });
}

}  // namespace

Message Encode(const service::RecvBufRequest& value) {
  return EncodeProto<tensorflow::RecvBufRequest>([&](auto& p) {
    p.set_step_id(value.step.value);
    p.set_buf_rendezvous_key(value.key);
    p.set_num_bytes(value.num_bytes);
    p.set_src_device(value.src_device);
    p.set_dst_device(value.dst_device);
    p.set_src_incarnation(value.src_incarnation.value);
    p.set_request_id(value.request_id.value);
    p.set_rheo_terms(value.terms);
  });
}

Status Decode(Source& source, service::RecvBufRequest& value) {
  return DecodeProto<tensorflow::RecvBufRequest>(source, BadRequest(), [&](auto& p) {
    value.step = StepId(p.step_id());
    value.key = p.buf_rendezvous_key();
    value.num_bytes = p.num_bytes();
    value.src_device = p.src_device();
    value.dst_device = p.dst_device();
    value.src_incarnation = Incarnation(p.src_incarnation());
    value.request_id = RequestId(p.request_id());
    value.terms = p.rheo_terms();
    return OkStatus();
  });
}

Message Encode(const service::RecvBufResponse& value) {
  const size_t num_bytes = value.value.num_bytes();
  const size_t max_chunk =
      value.max_chunk > 0 ? static_cast<size_t>(value.max_chunk) : std::max<size_t>(num_bytes, 1);
  const size_t extra_size = SizeOfChunks(num_bytes, max_chunk);
  MessageBuilder builder;
  builder.StartMessage(4, DelimitedSize(kExtraType.size()) + DelimitedSize(extra_size));
  builder.PutString(1, kExtraType);
  builder.StartMessage(2, extra_size);
  PutChunks(value.value, max_chunk, builder);
  builder.AddInt(5, value.send_start_micros);
  builder.AddBool(6, value.require_ack);
  return std::move(builder).Finish();
}

Status Decode(Source& source, service::RecvBufResponse& value) {
  value = {};
  MessageReader reader(source);
  CodedInputStream& in = reader.in();
  return reader.Read(BadResponse(), [&](uint32_t tag) {
    switch (tag) {
      case BytesField(4):
        return ReadExtra(reader, value);
      case IntField(5):
        return ReadInt(in, value.send_start_micros);
      case IntField(6):
        return ReadBool(in, value.require_ack);
      default:
        return SkipField(in, tag);
    }
  });
}

Message Encode(const service::CompleteGroupRequest& value) {
  return EncodeProto<tensorflow::CompleteGroupRequest>([&](auto& p) {
    p.set_group_key(value.group_key);
    p.set_group_size(value.group_size);
    p.set_device_type(value.device_type);
    p.set_collective_type(value.collective_type);
    if (value.device) DeviceToProto(*value.device, *p.mutable_device_attributes());
    p.set_rheo(value.is_rheo);
  });
}

Status Decode(Source& source, service::CompleteGroupRequest& value) {
  return DecodeProto<tensorflow::CompleteGroupRequest>(source, BadRequest(), [&](auto& p) {
    value.group_key = p.group_key();
    value.group_size = p.group_size();
    value.device_type = p.device_type();
    value.collective_type = p.collective_type();
    if (p.has_device_attributes()) value.device = DeviceFromProto(p.device_attributes());
    value.is_rheo = p.rheo();
    return OkStatus();
  });
}

Message Encode(const service::CompleteGroupResponse& value) {
  return EncodeProto<tensorflow::CompleteGroupResponse>([&](auto& p) {
    p.set_group_key(value.group_key);
    p.set_group_size(value.group_size);
    p.set_device_type(value.device_type);
    p.set_num_tasks(value.num_tasks);
    p.set_communicator_key(value.communicator_key);
    DevicesToProto(value.devices, *p.mutable_device_attributes());
    p.set_rheo(value.all_are_rheo);
  });
}

Status Decode(Source& source, service::CompleteGroupResponse& value) {
  return DecodeProto<tensorflow::CompleteGroupResponse>(source, BadResponse(), [&](auto& p) {
    value.group_key = p.group_key();
    value.group_size = p.group_size();
    value.device_type = p.device_type();
    value.num_tasks = p.num_tasks();
    value.communicator_key = p.communicator_key();
    value.devices = DevicesFromProto(p.device_attributes());
    value.all_are_rheo = p.rheo();
    return OkStatus();
  });
}

Message Encode(const service::CompleteInstanceRequest& value) {
  return EncodeProto<tensorflow::CompleteInstanceRequest>([&](auto& p) {
    p.set_name(value.name);
    p.set_type(value.type);
    p.set_data_type(static_cast<tensorflow::DataType>(value.dtype));
    ShapeToProto(value.shape, *p.mutable_shape());
    p.set_group_key(value.group_key);
    p.set_group_size(value.group_size);
    p.set_instance_key(value.instance_key);
    p.set_device_type(value.device_type);
    for (const int32_t offset : value.subdiv_offsets) p.add_subdiv_offset(offset);
    p.set_device(value.device);
    p.set_is_source(value.is_source);
    p.set_step_id(value.step.value);
  });
}

Status Decode(Source& source, service::CompleteInstanceRequest& value) {
  return DecodeProto<tensorflow::CompleteInstanceRequest>(source, BadRequest(), [&](auto& p) {
    value.name = p.name();
    value.type = p.type();
    value.dtype = static_cast<DType>(p.data_type());
    value.group_key = p.group_key();
    value.group_size = p.group_size();
    value.instance_key = p.instance_key();
    value.device_type = p.device_type();
    value.subdiv_offsets.assign(p.subdiv_offset().begin(), p.subdiv_offset().end());
    value.device = p.device();
    value.is_source = p.is_source();
    value.step = StepId(p.step_id());
    RHEO_ASSIGN_OR_RETURN(value.shape, ShapeFromProto(p.shape()));
    return OkStatus();
  });
}

Message Encode(const service::CompleteInstanceResponse& value) {
  return EncodeProto<tensorflow::CompleteInstanceResponse>([&](auto& p) {
    p.set_instance_key(value.instance_key);
    p.set_source_rank(value.source_rank);
  });
}

Status Decode(Source& source, service::CompleteInstanceResponse& value) {
  return DecodeProto<tensorflow::CompleteInstanceResponse>(source, BadResponse(), [&](auto& p) {
    value.instance_key = p.instance_key();
    value.source_rank = p.source_rank();
    return OkStatus();
  });
}

Message Encode(const service::GetStepSequenceRequest& value) {
  return EncodeProto<tensorflow::GetStepSequenceRequest>([&](auto& p) {
    for (const int64_t key : value.graph_keys) p.add_graph_key(key);
    for (const auto& failed : value.failed) {
      auto* const to = p.add_rheo_failed();
      to->set_graph_key(failed.graph_key);
      to->set_step_id(failed.step.value);
      to->set_reason(failed.reason);
    }
  });
}

Status Decode(Source& source, service::GetStepSequenceRequest& value) {
  return DecodeProto<tensorflow::GetStepSequenceRequest>(source, BadRequest(), [&](auto& p) {
    value.graph_keys.assign(p.graph_key().begin(), p.graph_key().end());
    value.failed.clear();
    for (auto& failed : *p.mutable_rheo_failed()) {
      value.failed.push_back(
          {failed.graph_key(), StepId(failed.step_id()), std::move(*failed.mutable_reason())});
    }
    return OkStatus();
  });
}

Message Encode(const service::GetStepSequenceResponse& value) {
  return EncodeProto<tensorflow::GetStepSequenceResponse>([&](auto& p) {
    for (const auto& sequence : value.sequences) {
      auto* const to = p.add_step_sequence();
      to->set_graph_key(sequence.graph_key);
      to->set_next_step_id(sequence.next.value);
    }
  });
}

Status Decode(Source& source, service::GetStepSequenceResponse& value) {
  return DecodeProto<tensorflow::GetStepSequenceResponse>(source, BadResponse(), [&](auto& p) {
    value.sequences.clear();
    for (const auto& sequence : p.step_sequence()) {
      value.sequences.push_back({sequence.graph_key(), StepId(sequence.next_step_id())});
    }
    return OkStatus();
  });
}

}  // namespace rheo::wire
