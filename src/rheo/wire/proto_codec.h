// Messages that are small enough to go over generated classes as a whole.
#ifndef RHEO_WIRE_PROTO_CODEC_H_
#define RHEO_WIRE_PROTO_CODEC_H_

#include <google/protobuf/arena.h>

#include <string_view>

#include "rheo/base/status.h"
#include "rheo/wire/message.h"
#include "rheo/wire/source.h"

namespace rheo::wire {

// What Decode answers to bytes that are not the message.
inline Status BadRequest() { return Internal("Unable to parse request"); }
inline Status BadResponse() { return Internal("could not parse rpc response"); }

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
template <typename Proto, typename Take>
Status DecodeProto(Source& source, const Status& malformed, Take take) {
  google::protobuf::Arena arena;
  auto& proto = *google::protobuf::Arena::CreateMessage<Proto>(&arena);
  if (source.num_bytes() > INT32_MAX ||
      !proto.ParseFromBoundedZeroCopyStream(source.stream(),
                                            static_cast<int>(source.num_bytes()))) {
    return malformed;
  }
  return take(proto);
}

}  // namespace rheo::wire

#endif  // RHEO_WIRE_PROTO_CODEC_H_
