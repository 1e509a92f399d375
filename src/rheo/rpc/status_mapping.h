// rheo::Status to and from grpc::Status (wire.md 4.2).
#ifndef RHEO_RPC_STATUS_MAPPING_H_
#define RHEO_RPC_STATUS_MAPPING_H_

#include <grpcpp/support/status.h>

#include "rheo/base/status.h"

namespace rheo::rpc {

// Comes with each error that a Rheo task answers. gRPC does not tell an UNAVAILABLE of the peer's
// from its own, which says that the peer cannot be reached.
inline constexpr char kAnsweredTrailer[] = "rheo-answered";

// Texts longer than this are cut, because all headers of an answer share a few kilobytes.
inline constexpr size_t kMaxStatusTextBytes = 3072;

// Same code; long texts are cut and end in " ... [truncated]"; payloads go into the error details.
grpc::Status ToGrpcStatus(const Status& status);

// OK that carries the payloads of an error that the answer's body holds (RunStep, RunGraph).
// TensorFlow peers ignore it.
grpc::Status OkWithPayloadsOf(const Status& body_error);

// The reverse of ToGrpcStatus; details that do not parse leave the mark kPayloadsLostPayload.
Status FromGrpcStatus(const grpc::Status& status);

}  // namespace rheo::rpc

#endif  // RHEO_RPC_STATUS_MAPPING_H_
