// MessageBuilder: writes a protobuf message field by field into slices.
#ifndef RHEO_WIRE_MESSAGE_BUILDER_H_
#define RHEO_WIRE_MESSAGE_BUILDER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "rheo/wire/message.h"

namespace rheo::wire {

// Bytes up to this size are copied into the message, larger ones are borrowed.
inline constexpr size_t kMaxCopiedBytes = 1024;
// Borrowed bytes are cut into slices of at most this size, so that a receiver can take them over
// while the rest is under way.
inline constexpr size_t kMaxSliceBytes = size_t{4} << 20;

// Bytes that a varint takes.
size_t VarintSize(uint64_t value);
// Bytes that a field of `num_bytes` bytes takes with its tag (of a field below 16) and length.
inline size_t DelimitedSize(size_t num_bytes) { return 1 + VarintSize(num_bytes) + num_bytes; }

void AppendVarint(uint64_t value, std::string& to);

// Whole fields at the end of a string; written even when they have their default value.
inline void AppendInt(int field, int64_t value, std::string& to) {
  AppendVarint(static_cast<uint32_t>(field) << 3, to);
  AppendVarint(static_cast<uint64_t>(value), to);
}
inline void AppendBytes(int field, std::string_view value, std::string& to) {
  AppendVarint(static_cast<uint32_t>(field) << 3 | 2, to);
  AppendVarint(value.size(), to);
  to.append(value);
}

class MessageBuilder {
 public:
  // As protobuf does, Add… leaves out a field that has its default value.
  void AddInt(int field, int64_t value) {
    if (value != 0) PutInt(field, value);
  }
  void AddBool(int field, bool value) {
    if (value) PutInt(field, 1);
  }
  void AddString(int field, std::string_view value) {
    if (!value.empty()) PutString(field, value);
  }

  // Put… writes it always: elements of repeated fields, and messages that are present.
  void PutInt(int field, int64_t value) {
    PutTag(field, 0);
    AppendVarint(static_cast<uint64_t>(value), tail_);
  }
  void PutString(int field, std::string_view value) {
    StartMessage(field, value.size());
    tail_.append(value);
  }
  // As PutString for a serialized submessage that may be large: it is not copied.
  void PutMessage(int field, std::string bytes);
  // The caller goes on with exactly `num_bytes` bytes of a submessage.
  void StartMessage(int field, size_t num_bytes) {
    PutTag(field, 2);
    AppendVarint(num_bytes, tail_);
  }

  // Bytes without tag or length.
  void Append(std::string_view bytes) { tail_.append(bytes); }
  // As Append; large `bytes` are borrowed from `buffer`, which holds them.
  void AppendFrom(const BufferRef& buffer, std::string_view bytes);

  Message Finish() &&;

 private:
  void PutTag(int field, uint32_t wire_type) {
    AppendVarint(static_cast<uint32_t>(field) << 3 | wire_type, tail_);
  }
  void FlushTail();

  Message message_;
  std::string tail_;  // what comes after the slices of message_
};

}  // namespace rheo::wire

#endif  // RHEO_WIRE_MESSAGE_BUILDER_H_
