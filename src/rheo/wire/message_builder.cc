#include "rheo/wire/message_builder.h"

#include <bit>

namespace rheo::wire {

size_t VarintSize(uint64_t value) {
  return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7;
}

void AppendVarint(uint64_t value, std::string& to) {
  while (value >= 0x80) {
    to.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  to.push_back(static_cast<char>(value));
}

void MessageBuilder::PutMessage(int field, std::string bytes) {
  if (bytes.size() <= kMaxCopiedBytes) return PutString(field, bytes);
  StartMessage(field, bytes.size());
  FlushTail();
  message_.slices.emplace_back(std::move(bytes));
}

void MessageBuilder::AppendFrom(const BufferRef& buffer, std::string_view bytes) {
  if (bytes.size() <= kMaxCopiedBytes) {
    Append(bytes);
    return;
  }
  FlushTail();
  for (; bytes.size() > kMaxSliceBytes; bytes.remove_prefix(kMaxSliceBytes)) {
    message_.slices.emplace_back(buffer, bytes.substr(0, kMaxSliceBytes));
  }
  message_.slices.emplace_back(buffer, bytes);
}

Message MessageBuilder::Finish() && {
  FlushTail();
  return std::move(message_);
}

void MessageBuilder::FlushTail() {
  if (tail_.empty()) return;
  message_.slices.emplace_back(std::move(tail_));
  tail_.clear();
}

}  // namespace rheo::wire
