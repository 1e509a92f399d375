// RecvTensor, in the layout that TensorFlow's receivers take without a second pass (wire.md 10),
// and PushTensors, the same unasked.
#include "rheo/wire/codec.h"
#include "rheo/wire/message_builder.h"
#include "rheo/wire/message_reader.h"
#include "rheo/wire/proto/service.pb.h"
#include "rheo/wire/pushed_codec.h"

namespace rheo::wire {
namespace {

// What a dead value carries, whatever the dtype of its edge.
Tensor DeadTensor() { return Tensor(DType::kFloat, Shape{0}); }

}  // namespace

Message Encode(const service::RecvTensorRequest& value) {
  MessageBuilder builder;
  builder.AddInt(1, value.step.value);
  builder.AddString(2, KeyToString(value.key));
  builder.AddInt(7, value.request_id.value);
  return std::move(builder).Finish();
}

Status Decode(Source& source, service::RecvTensorRequest& value) {
  value = {};
  bool has_key = false;
  MessageReader reader(source);
  CodedInputStream& in = reader.in();
  RHEO_RETURN_IF_ERROR(reader.Read(BadRequest(), [&](uint32_t tag) {
    switch (tag) {
      case IntField(1):
        return ReadInt(in, value.step.value);
      case BytesField(2):
        has_key = true;
        return ReadKey(reader, value.key);
      case IntField(7):
        return ReadInt(in, value.request_id.value);
      default:
        return SkipField(in, tag);
    }
  }));
  return has_key ? OkStatus() : ParseKey("").status();
}

Message Encode(const service::RecvTensorResponse& value) {
  const bool is_dead = value.item.is_dead;
  const Tensor dead = is_dead ? DeadTensor() : Tensor();
  const Tensor& tensor = is_dead ? dead : value.item.tensor;
  const TensorForm form(tensor, TensorLayout::kRecvTensor);
  // Plain data comes last; the other dtypes are written as protobuf writes them.
  const bool tensor_last = IsPlainData(tensor.dtype());
  MessageBuilder builder;
  if (!tensor_last) PutTensor(1, form, builder);
  builder.AddBool(2, is_dead);
  builder.AddInt(3, value.send_start_micros);
  builder.AddBool(5, value.require_ack);
  if (tensor_last) PutTensor(1, form, builder);
  return std::move(builder).Finish();
}

Status Decode(Source& source, service::RecvTensorResponse& value) {
  value = {};
  bool has_tensor = false;
  Status tensor_error;
  MessageReader reader(source);
  CodedInputStream& in = reader.in();
  RHEO_RETURN_IF_ERROR(reader.Read(BadResponse(), [&](uint32_t tag) {
    switch (tag) {
      case BytesField(1):
        has_tensor = true;
        return ReadSub(
            in, [&] { return ReadTensor(in, reader.context(), value.item.tensor, tensor_error); });
      case IntField(2):
        return ReadBool(in, value.item.is_dead);
      case IntField(3):
        return ReadInt(in, value.send_start_micros);
      case IntField(5):
        return ReadBool(in, value.require_ack);
      default:
        return SkipField(in, tag);
    }
  }));
  if (value.item.is_dead) {
    value.item.tensor = Tensor();
    return OkStatus();
  }
  if (!has_tensor) return BadResponse();
  if (!tensor_error.ok())
    return Append(BadResponse(), fmt::format(": {}", rheo::Message(tensor_error)));
  return OkStatus();
}

Message Encode(const service::PushTensorsRequest& value) {
  MessageBuilder builder;
  for (const auto& entry : value.tensors) PutPushed(1, entry, builder);
  return std::move(builder).Finish();
}

Status Decode(Source& source, service::PushTensorsRequest& value) {
  value = {};
  MessageReader reader(source);
  return reader.Read(BadRequest(), [&](uint32_t tag) {
    if (tag != BytesField(1)) return SkipField(reader.in(), tag);
    return ReadPushed(reader, value.tensors);
  });
}

}  // namespace rheo::wire
