#include "rheo/rpc/channel.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <limits.h>

#include <optional>
#include <utility>

#include "rheo/rpc/byte_buffer.h"
#include "rheo/rpc/call_queues.h"
#include "rheo/rpc/completion_queue.h"
#include "rheo/rpc/deadline.h"
#include "rheo/rpc/link_limits.h"
#include "rheo/rpc/message_room.h"
#include "rheo/rpc/method_path.h"
#include "rheo/rpc/secrets.h"
#include "rheo/rpc/spin.h"

namespace rheo::rpc {
namespace {

constexpr int kMaxReconnectBackoffMs = 1000;
constexpr int kInitialReconnectBackoffMs = 100;
constexpr int kIdleMs = 60'000;

using PingInterval = std::optional<std::chrono::milliseconds>;

grpc::ChannelArguments Arguments(PingInterval ping_interval, const Secrets* secrets) {
  grpc::ChannelArguments args;
  args.SetMaxReceiveMessageSize(INT_MAX);
  args.SetMaxSendMessageSize(INT_MAX);
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kInitialReconnectBackoffMs);
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxReconnectBackoffMs);
  args.SetInt(GRPC_ARG_DNS_MIN_TIME_BETWEEN_RESOLUTIONS_MS, kMaxReconnectBackoffMs);
  args.SetInt(GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadataBytes);
  args.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // Every feature of gRPC's stack costs each call; these are the ones in use. The idle timeout of
  // plain channels needs the whole stack.
  args.SetInt(GRPC_ARG_MINIMAL_STACK, ping_interval ? 1 : 0);
  args.SetInt(GRPC_ARG_ENABLE_DEADLINE_CHECKS, 1);
  args.SetInt(GRPC_ARG_ENABLE_CHANNELZ, 0);
  args.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  // Servers of one process share nothing, connections included.
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  args.SetServiceConfigJSON("{}");
  args.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  if (secrets != nullptr && !secrets->server_name.empty()) {
    args.SetSslTargetNameOverride(secrets->server_name);
  }
  if (ping_interval) {
    args.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, static_cast<int>(ping_interval->count()));
    args.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    args.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingTimeoutMs);
    args.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  } else {
    // Nobody watches an idle connection, so it does not stay: a dead one would swallow a call.
    args.SetInt(GRPC_ARG_CLIENT_IDLE_TIMEOUT_MS, kIdleMs);
  }
  return args;
}

std::shared_ptr<grpc::ChannelCredentials> CredentialsOf(const Secrets* secrets) {
  if (secrets == nullptr || !secrets->client_uses_tls()) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = secrets->ca;
  options.pem_private_key = secrets->key;
  options.pem_cert_chain = secrets->cert;
  return grpc::SslCredentials(options);
}

// One call from its start to its answer; deletes itself.
class ClientCall final : public Operation {
 public:
  ClientCall(CallQueues& queues, const service::Call& call, const Secrets* secrets, RpcDone done)
      : queues_(queues), stop_(call.stop), done_(std::move(done)) {
    if (secrets != nullptr && secrets->has_token()) {
      context_.AddMetadata(kAuthorizationHeader, secrets->bearer);
    }
    if (call.deadline) context_.set_deadline(ToGrpcDeadline(call.deadline));
    // gRPC would wait for ever for a server whose certificate is not the right one.
    const bool uses_tls = secrets != nullptr && secrets->client_uses_tls();
    if (call.wait_for_ready && !uses_tls) context_.set_wait_for_ready(true);
  }

  // True when the call now completes through `queue`; false when it has ended already.
  bool Start(grpc::GenericStub& stub, const std::string& path, const grpc::ByteBuffer& request,
             grpc::CompletionQueue& queue) {
    if (!queues_.Open(context_)) {
      Refuse();
      return false;
    }
    const size_t size = request.Length();
    if (TellsSize(path)) {
      context_.AddMetadata(kSizeHeader, size <= kSmallBytes ? kSmallSize : std::to_string(size));
    }
    reader_ = stub.PrepareUnaryCall(&context_, path, request, &queue);
    // Before the call can end: its end takes the stop callback away.
    if (stop_.stop_possible()) stop_callback_.emplace(stop_, [this] { context_.TryCancel(); });
    queues_.traffic().Sent(size);
    Begin(*this, [this](void* tag) {
      reader_->StartCall();
      reader_->Finish(&body_, &status_, tag);
    });
    return true;
  }

  void Complete(bool) override {
    if (status_.ok()) queues_.traffic().Received(body_.Length());
    stop_callback_.reset();
    Finish();
    queues_.Closed(context_);
    delete this;
  }

 private:
  void Refuse() {
    status_ = grpc::Status(grpc::StatusCode::CANCELLED, "the RPC client is shut down");
    Finish();
    delete this;
  }

  void Finish() {
    RpcResult result{std::move(status_), body_, context_};
    std::move(done_)(result);
    done_ = nullptr;  // what it holds goes before the call counts as closed
  }

  CallQueues& queues_;
  const StopToken stop_;
  RpcDone done_;
  grpc::ClientContext context_;
  grpc::ByteBuffer body_;
  grpc::Status status_;
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader_;
  std::optional<StopCallback> stop_callback_;
};

}  // namespace

Channel::Channel(CallQueues& queues, std::string address, PingInterval ping_interval,
                 const wire::VariantDecoders* variants, std::shared_ptr<const Secrets> secrets)
    : queues_(queues),
      address_(std::move(address)),
      variants_(variants),
      secrets_(std::move(secrets)),
      channel_(grpc::CreateCustomChannel("dns:///" + address_, CredentialsOf(secrets_.get()),
                                         Arguments(ping_interval, secrets_.get()))),
      stub_(channel_) {}

bool Channel::uses_tls() const { return secrets_ != nullptr && secrets_->client_uses_tls(); }

bool Channel::is_connected() const {
  return channel_->GetState(/*try_to_connect=*/false) == GRPC_CHANNEL_READY;
}

void Channel::Start(const std::string& path, wire::Message request, const service::Call& call,
                    RpcDone done) {
  const grpc::ByteBuffer bytes = ToByteBuffer(std::move(request));
  const bool caller_waits = call.caller_waits;
  auto* open = new ClientCall(queues_, call, secrets_.get(), std::move(done));
  if (!caller_waits) {
    if (open->Start(stub_, path, bytes, queues_.Shared())) queues_.Expect();
    return;
  }
  auto own = queues_.Borrow();
  if (open->Start(stub_, path, bytes, own->queue) && !SpinForNext(own->queue, own->budget)) {
    RunNext(own->queue);
  }
  queues_.GiveBack(std::move(own));
}

}  // namespace rheo::rpc
