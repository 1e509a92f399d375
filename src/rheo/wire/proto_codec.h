// Messages that are small enough to go over generated classes as a whole.
#ifndef RHEO_WIRE_PROTO_CODEC_H_
#define RHEO_WIRE_PROTO_CODEC_H_

#include <google/protobuf/arena.h>

#include <string>
#include <string_view>

#include "rheo/base/status.h"
#include "rheo/wire/message.h"
#include "rheo/wire/source.h"

namespace rheo::wire {

// What Decode answers to bytes that are not the message.
inline Status BadRequest() { return Internal("Unable to parse request"); }
inline Status BadResponse() { return Internal("could not parse rpc response"); }

// The next `num_bytes` bytes of the stream in one piece: `view` is of the stream's own block, or of
// `copy`. False when there are fewer.
bool ReadContiguous(google::protobuf::io::ZeroCopyInputStream& stream, int64_t num_bytes,
                    std::string& copy, std::string_view& view);

// Calls `fill(proto)` with an empty message and serializes it.
template <typename Proto, typename Fill>
Message EncodeProto(Fill fill) {
  google::protobuf::Arena arena;
  auto& proto = *google::protobuf::Arena::CreateMessage<Proto>(&arena);
  fill(proto);
  Message message;
  message.slices.emplace_back(proto.SerializeAsString());
  return message;
}

// Parses the message and returns `take(proto)`, or `malformed` when the bytes are none.
//
// Generated messages are only ever parsed from memory: on streams of blocks smaller than 16 bytes,
// which a peer can bring about, protobuf 3.21 backs up further than the last block after a damaged
// message, and the stream's check of that ends the process.
template <typename Proto, typename Take>
Status DecodeProto(Source& source, const Status& malformed, Take take) {
  std::string copy;
  std::string_view bytes;
  google::protobuf::Arena arena;
  auto& proto = *google::protobuf::Arena::CreateMessage<Proto>(&arena);
  if (source.num_bytes() > INT32_MAX ||
      !ReadContiguous(*source.stream(), source.num_bytes(), copy, bytes) ||
      !proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return malformed;
  }
  return take(proto);
}

}  // namespace rheo::wire

#endif  // RHEO_WIRE_PROTO_CODEC_H_
