// Messages without content.
#include "rheo/wire/codec.h"
#include "rheo/wire/proto/service.pb.h"
#include "rheo/wire/proto_codec.h"

namespace rheo::wire {

#define RHEO_WIRE_EMPTY(Type, Malformed)                                          \
  Message Encode(const service::Type&) { return Message(); }                      \
  Status Decode(Source& source, service::Type&) {                                 \
    return DecodeProto<tensorflow::Type>(source, Malformed(),                     \
                                         [](const auto&) { return OkStatus(); }); \
  }
RHEO_WIRE_EMPTY(CloseSessionResponse, BadResponse)
RHEO_WIRE_EMPTY(ResetResponse, BadResponse)
RHEO_WIRE_EMPTY(ReleaseCallableResponse, BadResponse)
RHEO_WIRE_EMPTY(CreateWorkerSessionResponse, BadResponse)
RHEO_WIRE_EMPTY(DeleteWorkerSessionResponse, BadResponse)
RHEO_WIRE_EMPTY(DeregisterGraphResponse, BadResponse)
RHEO_WIRE_EMPTY(CleanupGraphResponse, BadResponse)
RHEO_WIRE_EMPTY(CleanupAllResponse, BadResponse)
RHEO_WIRE_EMPTY(PushTensorsResponse, BadResponse)
RHEO_WIRE_EMPTY(MarkRecvFinishedResponse, BadResponse)
#undef RHEO_WIRE_EMPTY

}  // namespace rheo::wire
