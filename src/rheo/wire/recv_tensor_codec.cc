// RecvTensor, in the layout that TensorFlow's receivers take without a second pass (wire.md 10),
// and PushTensors, the same unasked.
#include "rheo/wire/codec.h"
#include "rheo/wire/memory_offer.h"
#include "rheo/wire/message_builder.h"
#include "rheo/wire/message_reader.h"
#include "rheo/wire/proto/service.pb.h"
#include "rheo/wire/pushed_codec.h"

namespace rheo::wire {
namespace {

// What a dead value carries, whatever the dtype of its edge.
Tensor DeadTensor() { return Tensor(DType::kFloat, Shape{0}); }

// Fields of memory_offer.h.
constexpr int kReaderHost = 1000;
constexpr int kReaderMark = 1001;
constexpr int kRedeem = 1002;
constexpr int kOffer = 1000;
// Numbers of dtypes that are not references are below this.
constexpr int64_t kMaxDType = 100;
// More than an address space holds.
constexpr int64_t kMaxOfferedElements = int64_t{1} << 46;

bool ReadOffer(MessageReader& reader, MemoryOffer& offer) {
  CodedInputStream& in = reader.in();
  std::vector<int64_t> dims;
  int64_t dtype = 0;
  int64_t mark_address = 0;
  int64_t address = 0;
  const bool read = ReadSub(in, [&] {
    return ReadFields(in, [&](uint32_t tag) {
      switch (tag) {
        case IntField(1):
          return ReadInt(in, offer.process);
        case IntField(2):
          return ReadInt(in, mark_address);
        case IntField(3):
          return ReadInt(in, address);
        case IntField(4):
          return ReadInt(in, dtype);
        case IntField(5):
          return ReadInt(in, dims.emplace_back());
        default:
          return SkipField(in, tag);
      }
    });
  });
  if (!read) return false;
  offer.mark_address = static_cast<uint64_t>(mark_address);
  offer.address = static_cast<uint64_t>(address);
  offer.dtype = static_cast<DType>(dtype);
  StatusOr<Shape> shape = Shape::Create(dims);
  const bool is_plain = dtype > 0 && dtype < kMaxDType && IsPlainData(offer.dtype);
  if (!is_plain || !shape.ok() || shape->num_elements() > kMaxOfferedElements) {
    reader.Keep(
        InvalidArgument("a value of dtype {} with {} dimensions is offered, which no memory holds",
                        dtype, dims.size()));
  } else {
    offer.shape = *std::move(shape);
  }
  return true;
}

}  // namespace

Message Encode(const service::RecvTensorRequest& value) { return Encode(value, MemoryReader()); }

Message Encode(const service::RecvTensorRequest& value, const MemoryReader& reader) {
  MessageBuilder builder;
  builder.AddInt(1, value.step.value);
  builder.AddString(2, KeyToString(value.key));
  builder.AddInt(7, value.request_id.value);
  builder.AddString(kReaderHost, reader.host);
  builder.AddString(kReaderMark, reader.mark);
  builder.AddBool(kRedeem, reader.redeem);
  return std::move(builder).Finish();
}

Status Decode(Source& source, service::RecvTensorRequest& value) {
  MemoryReader ignored;
  return Decode(source, value, ignored);
}

Status Decode(Source& source, service::RecvTensorRequest& value, MemoryReader& offers_to) {
  value = {};
  offers_to = {};
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
      case BytesField(kReaderHost):
        return ReadBytes(in, offers_to.host);
      case BytesField(kReaderMark):
        return ReadBytes(in, offers_to.mark);
      case IntField(kRedeem):
        return ReadBool(in, offers_to.redeem);
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

Message Encode(const MemoryOffer& offer) {
  std::string bytes;
  AppendInt(1, offer.process, bytes);
  AppendInt(2, static_cast<int64_t>(offer.mark_address), bytes);
  AppendInt(3, static_cast<int64_t>(offer.address), bytes);
  AppendInt(4, static_cast<int>(offer.dtype), bytes);
  for (const int64_t dim : offer.shape.dims()) AppendInt(5, dim, bytes);
  MessageBuilder builder;
  builder.PutString(kOffer, bytes);
  return std::move(builder).Finish();
}

Status Decode(Source& source, service::RecvTensorResponse& value) {
  RecvTensorAnswer answer;
  Status status = Decode(source, answer);
  value = std::move(answer.response);
  if (status.ok() && answer.offer) return Append(BadResponse(), ": an offer that nobody asked for");
  return status;
}

Status Decode(Source& source, RecvTensorAnswer& answer) {
  answer = {};
  service::RecvTensorResponse& value = answer.response;
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
      case BytesField(kOffer):
        return ReadOffer(reader, answer.offer.emplace());
      default:
        return SkipField(in, tag);
    }
  }));
  if (answer.offer) {
    value.item = {};
    return OkStatus();
  }
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
