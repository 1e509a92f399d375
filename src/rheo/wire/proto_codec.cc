#include "rheo/wire/proto_codec.h"

#include <algorithm>

namespace rheo::wire {

bool ReadContiguous(google::protobuf::io::ZeroCopyInputStream& stream, int64_t num_bytes,
                    std::string& copy, std::string_view& view) {
  view = {};
  for (int64_t left = num_bytes; left > 0;) {
    const void* block;
    int block_size;
    if (!stream.Next(&block, &block_size)) return false;
    const auto taken = static_cast<size_t>(std::min<int64_t>(left, block_size));
    const std::string_view bytes(static_cast<const char*>(block), taken);
    if (block_size > left) stream.BackUp(block_size - static_cast<int>(left));
    if (static_cast<int64_t>(taken) == num_bytes) {
      view = bytes;
      return true;
    }
    if (copy.empty()) copy.reserve(static_cast<size_t>(num_bytes));
    copy.append(bytes);
    left -= static_cast<int64_t>(taken);
  }
  view = copy;
  return true;
}

}  // namespace rheo::wire
