// wire::Message to and from grpc::ByteBuffer without copying the bytes of tensors.
#ifndef RHEO_RPC_BYTE_BUFFER_H_
#define RHEO_RPC_BYTE_BUFFER_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include "rheo/wire/message.h"

namespace rheo::rpc {

// The bytes of `message` as slices. Borrowed slices keep their tensor's buffer alive until gRPC has
// sent them; owned ones are moved or, when small, copied.
grpc::ByteBuffer ToByteBuffer(wire::Message message);

// A wire::Source over a received buffer, read in place: ByteSource source(&bytes).
using ByteSource = grpc::ProtoBufferReader;

}  // namespace rheo::rpc

#endif  // RHEO_RPC_BYTE_BUFFER_H_
