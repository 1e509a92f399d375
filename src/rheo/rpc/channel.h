// Channel: unary calls with raw bytes to one address.
#ifndef RHEO_RPC_CHANNEL_H_
#define RHEO_RPC_CHANNEL_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/any_invocable.h"
#include "rheo/rpc/client.h"
#include "rheo/service/call.h"
#include "rheo/wire/message.h"

namespace rheo::rpc {

class CallQueues;

// How a call ended.
struct RpcResult {
  grpc::Status status;
  grpc::ByteBuffer body;               // of an OK answer
  const grpc::ClientContext& context;  // for the answer's metadata
};
using RpcDone = absl::AnyInvocable<void(RpcResult&)>;

// Thread-safe. Belongs to an RpcClient, which outlives it.
class Channel {
 public:
  // The connection is watched by pings unless `ping_interval` is nullopt.
  Channel(CallQueues& queues, std::string address,
          std::optional<std::chrono::milliseconds> ping_interval,
          const wire::VariantDecoders* variants, std::shared_ptr<const Secrets> secrets);

  const std::string& address() const { return address_; }
  // For those who decode answers.
  const wire::VariantDecoders* variants() const { return variants_; }
  CallQueues& queues() const { return queues_; }
  // Whether calls go through TLS.
  bool uses_tls() const;
  // Whether a connection is up right now.
  bool is_connected() const;

  // Calls the method `path`. `done` runs exactly once: before this returns when call.caller_waits,
  // else on a polling thread of the client. Lost to its stop token a call ends CANCELLED, past its
  // deadline DEADLINE_EXCEEDED.
  void Start(const std::string& path, wire::Message request, const service::Call& call,
             RpcDone done);

 private:
  CallQueues& queues_;
  const std::string address_;
  const wire::VariantDecoders* const variants_;
  const std::shared_ptr<const Secrets> secrets_;  // null: plain
  const std::shared_ptr<grpc::Channel> channel_;
  grpc::GenericStub stub_;
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_CHANNEL_H_
