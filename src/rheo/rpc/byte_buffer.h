// wire::Message to and from grpc::ByteBuffer without copying the bytes of tensors.
#ifndef RHEO_RPC_BYTE_BUFFER_H_
#define RHEO_RPC_BYTE_BUFFER_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include "absl/functional/any_invocable.h"
#include "rheo/wire/message.h"
#include "rheo/wire/source.h"

namespace rheo::rpc {

// The bytes of `message` as slices. Borrowed slices keep their tensor's buffer alive until gRPC has
// sent them; owned ones are moved or, when small, copied.
grpc::ByteBuffer ToByteBuffer(wire::Message message);

// The same bytes; `on_gone` runs when the last user of the result's memory is done with it.
grpc::ByteBuffer WithEndNotice(const grpc::ByteBuffer& bytes, absl::AnyInvocable<void()> on_gone);

// A received buffer as a wire::Source, read in place. `bytes` and `variants` outlive it.
class ByteSource {
 public:
  explicit ByteSource(grpc::ByteBuffer& bytes, const wire::VariantDecoders* variants = nullptr)
      : reader_(&bytes), source_(&reader_, static_cast<int64_t>(bytes.Length()), variants) {}

  wire::Source& source() { return source_; }

 private:
  grpc::ProtoBufferReader reader_;
  wire::Source source_;
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_BYTE_BUFFER_H_
