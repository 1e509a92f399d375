// Message: a serialized protobuf message as slices, so that tensor bytes are sent without a copy.
#ifndef RHEO_WIRE_MESSAGE_H_
#define RHEO_WIRE_MESSAGE_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rheo/tensor/buffer.h"

namespace rheo::wire {

// Either bytes of its own or bytes of a tensor's buffer, which it keeps alive.
class Slice {
 public:
  explicit Slice(std::string bytes) : owned_(std::move(bytes)) {}
  Slice(BufferRef buffer, std::string_view bytes) : buffer_(std::move(buffer)), view_(bytes) {}

  std::string_view bytes() const { return buffer_ ? view_ : std::string_view(owned_); }
  bool is_borrowed() const { return static_cast<bool>(buffer_); }
  const BufferRef& buffer() const { return buffer_; }
  std::string&& TakeOwned() { return std::move(owned_); }

 private:
  std::string owned_;
  BufferRef buffer_;
  std::string_view view_;
};

// In order; their concatenation is the message.
struct Message {
  std::vector<Slice> slices;

  size_t size() const {
    size_t n = 0;
    for (const Slice& s : slices) n += s.bytes().size();
    return n;
  }
  // All bytes in one piece; a copy, for tests and small messages.
  std::string Flatten() const {
    std::string all;
    all.reserve(size());
    for (const Slice& s : slices) all.append(s.bytes());
    return all;
  }
};

}  // namespace rheo::wire

#endif  // RHEO_WIRE_MESSAGE_H_
