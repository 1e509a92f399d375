// Helpers to parse a message field by field from a CodedInputStream whose limit is the message's
// end. All return false for bytes that are no protobuf message.
#ifndef RHEO_WIRE_READER_H_
#define RHEO_WIRE_READER_H_

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message_lite.h>
#include <google/protobuf/wire_format_lite.h>

#include <string>

namespace rheo::wire {

using google::protobuf::io::CodedInputStream;

// The tag of a field, for `case` labels.
constexpr uint32_t IntField(int field) { return static_cast<uint32_t>(field) << 3; }
constexpr uint32_t BytesField(int field) { return static_cast<uint32_t>(field) << 3 | 2; }

inline bool SkipField(CodedInputStream& in, uint32_t tag) {
  return google::protobuf::internal::WireFormatLite::SkipField(&in, tag);
}

// Appends the field of `tag` as it stands to `copy`.
inline bool CopyField(CodedInputStream& in, uint32_t tag, std::string& copy) {
  google::protobuf::io::StringOutputStream stream(&copy);
  google::protobuf::io::CodedOutputStream out(&stream);
  return google::protobuf::internal::WireFormatLite::SkipField(&in, tag, &out);
}

// Calls `on_field(tag)` for each field up to the limit. It consumes the field, unknown ones with
// SkipField, and returns false when it cannot.
template <typename OnField>
bool ReadFields(CodedInputStream& in, OnField on_field) {
  while (const uint32_t tag = in.ReadTag()) {
    if (!on_field(tag)) return false;
  }
  return in.ConsumedEntireMessage() && in.BytesUntilLimit() == 0;
}

// The length of a field of bytes, which are there.
inline bool ReadLength(CodedInputStream& in, int& length) {
  return in.ReadVarintSizeAsInt(&length) && length <= in.BytesUntilLimit();
}

// Calls `body()` with the limit at the end of the submessage that comes next; it must consume it.
template <typename Body>
bool ReadSub(CodedInputStream& in, Body body) {
  int length;
  if (!ReadLength(in, length)) return false;
  const auto limit = in.PushLimit(length);
  if (!body() || in.BytesUntilLimit() != 0) return false;
  in.PopLimit(limit);
  return true;
}

inline bool ReadBytes(CodedInputStream& in, std::string& bytes) {
  int length;
  return ReadLength(in, length) && in.ReadString(&bytes, length);
}

// Appends an element.
template <typename Strings>
bool ReadBytesInto(CodedInputStream& in, Strings& strings) {
  return ReadBytes(in, strings.emplace_back());
}

// From memory, for the reason in proto_codec.h.
inline bool ReadMessage(CodedInputStream& in, google::protobuf::MessageLite& message) {
  std::string bytes;
  return ReadBytes(in, bytes) && message.MergeFromString(bytes);
}

// A varint field that C++ takes as an int: what is beyond 32 bits is cut off, as protobuf does.
inline bool ReadInt32(CodedInputStream& in, int& value) {
  uint64_t bits;
  if (!in.ReadVarint64(&bits)) return false;
  value = static_cast<int>(bits);
  return true;
}

inline bool ReadInt(CodedInputStream& in, int64_t& value) {
  uint64_t bits;
  if (!in.ReadVarint64(&bits)) return false;
  value = static_cast<int64_t>(bits);
  return true;
}

inline bool ReadBool(CodedInputStream& in, bool& value) {
  uint64_t bits;
  if (!in.ReadVarint64(&bits)) return false;
  value = bits != 0;
  return true;
}

}  // namespace rheo::wire

#endif  // RHEO_WIRE_READER_H_
