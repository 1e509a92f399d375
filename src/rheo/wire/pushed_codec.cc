#include "rheo/wire/pushed_codec.h"

#include "rheo/wire/codec.h"
#include "rheo/wire/proto_codec.h"

namespace rheo::wire {
namespace {

bool ReadEntry(MessageReader& reader, size_t i, rendezvous::PushedTensor& entry) {
  CodedInputStream& in = reader.in();
  return ReadFields(in, [&](uint32_t tag) {
    switch (tag) {
      case IntField(1):
        return ReadInt(in, entry.step.value);
      case BytesField(2):
        return ReadKey(reader, entry.key);
      case IntField(3):
        return ReadBool(in, entry.item.is_dead);
      case BytesField(4):
        return reader.ReadTensorField(entry.item.tensor,
                                      [i] { return fmt::format("pushed value {}", i); });
      case IntField(5):
        return ReadBool(in, entry.announced);
      default:
        return SkipField(in, tag);
    }
  });
}

}  // namespace

bool ReadKey(MessageReader& reader, rendezvous::RendezvousKey& key) {
  std::string text;
  if (!ReadBytes(reader.in(), text)) return false;
  StatusOr<rendezvous::RendezvousKey> parsed = ParseKey(text);
  if (parsed.ok()) {
    key = *std::move(parsed);
  } else {
    reader.Keep(parsed.status());
  }
  return true;
}

void PutPushed(int field, const rendezvous::PushedTensor& entry, MessageBuilder& builder) {
  const std::string key = KeyToString(entry.key);
  const Tensor none;
  const bool has_value = !entry.item.is_dead && !entry.announced;
  const TensorForm form(has_value ? entry.item.tensor : none, TensorLayout::kRecvTensor);
  size_t num_bytes = DelimitedSize(key.size());
  if (entry.step.value != 0) {
    num_bytes += 1 + VarintSize(static_cast<uint64_t>(entry.step.value));
  }
  if (entry.item.is_dead) num_bytes += 2;
  if (has_value) num_bytes += DelimitedSize(form.size());
  if (entry.announced) num_bytes += 2;
  builder.StartMessage(field, num_bytes);
  builder.AddInt(1, entry.step.value);
  builder.PutString(2, key);
  builder.AddBool(3, entry.item.is_dead);
  if (has_value) PutTensor(4, form, builder);
  builder.AddBool(5, entry.announced);
}

bool ReadPushed(MessageReader& reader, std::vector<rendezvous::PushedTensor>& pushed) {
  const size_t i = pushed.size();
  rendezvous::PushedTensor& entry = pushed.emplace_back();
  if (!ReadSub(reader.in(), [&] { return ReadEntry(reader, i, entry); })) return false;
  if (entry.key == rendezvous::RendezvousKey()) reader.Keep(ParseKey("").status());
  if (!entry.item.is_dead && !entry.announced && !entry.item.tensor.has_value()) {
    reader.Keep(InvalidArgument("Invalid TensorProto for pushed value {}: missing", i));
  }
  return true;
}

}  // namespace rheo::wire
