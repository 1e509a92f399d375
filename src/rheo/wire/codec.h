// Codecs between the plain structs of service/ and TensorFlow's protobuf messages.
//
// Encode(x) gives the serialized message; bytes of tensors larger than 1 KiB are borrowed from
// their buffers, never copied. Decode(stream, x) reads one and copies tensor bytes at most once,
// into the aligned buffer of the tensor that results. Decode returns INTERNAL for bytes that are no
// such message ("Unable to parse request", "could not parse rpc response") and INVALID_ARGUMENT
// naming field and value for content that makes no sense; then `x` holds what could be read. It
// never allocates more than a small multiple of the bytes that are really there, except where a
// value fills a shape (decode_context.h).
#ifndef RHEO_WIRE_CODEC_H_
#define RHEO_WIRE_CODEC_H_

#include <string>

#include "rheo/base/status.h"
#include "rheo/service/master_service.h"
#include "rheo/service/worker_service.h"
#include "rheo/wire/message.h"
#include "rheo/wire/source.h"

namespace rheo::wire {

// One pair for each request and response of MasterService and WorkerService.
#define RHEO_WIRE_MESSAGE(Type)               \
  Message Encode(const service::Type& value); \
  Status Decode(Source& source, service::Type& value);
#define RHEO_WIRE_METHOD(Method) \
  RHEO_WIRE_MESSAGE(Method##Request) RHEO_WIRE_MESSAGE(Method##Response)
RHEO_WIRE_METHOD(CreateSession)
RHEO_WIRE_METHOD(ExtendSession)
RHEO_WIRE_METHOD(PartialRunSetup)
RHEO_WIRE_METHOD(CloseSession)
RHEO_WIRE_METHOD(ListDevices)
RHEO_WIRE_METHOD(Reset)
RHEO_WIRE_METHOD(MakeCallable)
RHEO_WIRE_METHOD(RunCallable)
RHEO_WIRE_METHOD(ReleaseCallable)
RHEO_WIRE_METHOD(GetStatus)
RHEO_WIRE_METHOD(CreateWorkerSession)
RHEO_WIRE_METHOD(DeleteWorkerSession)
RHEO_WIRE_METHOD(RegisterGraph)
RHEO_WIRE_METHOD(DeregisterGraph)
RHEO_WIRE_METHOD(CleanupGraph)
RHEO_WIRE_METHOD(CleanupAll)
RHEO_WIRE_METHOD(RecvTensor)
RHEO_WIRE_METHOD(PushTensors)
RHEO_WIRE_METHOD(MarkRecvFinished)
RHEO_WIRE_METHOD(RecvBuf)
RHEO_WIRE_METHOD(CompleteGroup)
RHEO_WIRE_METHOD(CompleteInstance)
RHEO_WIRE_METHOD(GetStepSequence)
RHEO_WIRE_METHOD(Logging)
#undef RHEO_WIRE_METHOD
#undef RHEO_WIRE_MESSAGE

// RunStep and RunGraph carry the choice to put an error into the answer's body (wire.md 4.3).
struct BodyErrors {
  bool wanted = false;
};
Message Encode(const service::RunStepRequest& value, BodyErrors body_errors);
Status Decode(Source& source, service::RunStepRequest& value, BodyErrors& body_errors);
Message Encode(const service::RunGraphRequest& value, BodyErrors body_errors);
Status Decode(Source& source, service::RunGraphRequest& value, BodyErrors& body_errors);

// `error` goes into the body when it is not OK. Decode sets `error` to what the body holds.
Message Encode(const service::RunStepResponse& value, const Status& error);
Status Decode(Source& source, service::RunStepResponse& value, Status& error);
Message Encode(const service::RunGraphResponse& value, const Status& error);
Status Decode(Source& source, service::RunGraphResponse& value, Status& error);

// ---- Files and flags: text or binary protobuf, told apart by content.
StatusOr<service::ServerDef> ParseServerDef(std::string_view bytes);
StatusOr<graph::GraphDef> ParseGraphDef(std::string_view bytes);
std::string SerializeGraphDef(const graph::GraphDef& def);
std::string SerializeServerDef(const service::ServerDef& def);

// ---- Tensors
Message EncodeTensor(const Tensor& tensor);             // TensorProto, content form
StatusOr<Tensor> DecodeTensor(std::string_view bytes);  // any form of wire.md 9

// ---- Rendezvous keys (wire.md 11)
std::string KeyToString(const rendezvous::RendezvousKey& key);
// INVALID_ARGUMENT "Invalid  rendezvous key: <key>" (two blanks).
StatusOr<rendezvous::RendezvousKey> ParseKey(std::string_view text);

// ---- Errors (wire.md 4.2): the bytes of grpc-status-details-bin and back; "" without payloads.
std::string EncodePayloads(const Status& status);
// Attaches the payloads, or the GrpcPayloadsLost mark when `bytes` do not parse.
Status DecodePayloads(Status status, std::string_view bytes);

}  // namespace rheo::wire

#endif  // RHEO_WIRE_CODEC_H_
