#include "rheo/rpc/client.h"

#include <optional>

#include "rheo/base/mutex.h"
#include "rheo/base/string_map.h"
#include "rheo/rpc/call_queues.h"
#include "rheo/rpc/channel.h"
#include "rheo/rpc/completion_queue.h"

namespace rheo::rpc {

namespace {

std::shared_ptr<PolledQueue> OwnQueue() {
  return std::make_shared<PolledQueue>(std::make_unique<grpc::CompletionQueue>(), "rpc-client",
                                       /*num_pollers=*/1);
}

}  // namespace

class RpcClient::Impl {
 public:
  explicit Impl(const RpcClientOptions& options)
      : secrets_(options.secrets),
        ping_interval_(options.ping_interval),
        variants_(options.variants),
        queues_(options.queue != nullptr ? options.queue : OwnQueue(), options.traffic) {}
  ~Impl() { Shutdown(); }

  std::shared_ptr<Channel> Connect(std::string_view address, ChannelOptions options) {
    MutexLock lock(mutex_);
    auto& channels = options.keepalive ? watched_ : plain_;
    std::shared_ptr<Channel>& channel = channels[std::string(address)];
    if (channel == nullptr) {
      channel = std::make_shared<Channel>(
          queues_, std::string(address),
          options.keepalive ? std::optional(ping_interval_) : std::nullopt, variants_, secrets_);
    }
    return channel;
  }

  void Shutdown() { queues_.Shutdown(); }

 private:
  const std::shared_ptr<const Secrets> secrets_;
  const std::chrono::milliseconds ping_interval_;
  const wire::VariantDecoders* const variants_;
  CallQueues queues_;
  Mutex mutex_;
  StringMap<std::shared_ptr<Channel>> plain_ RHEO_GUARDED_BY(mutex_);
  StringMap<std::shared_ptr<Channel>> watched_ RHEO_GUARDED_BY(mutex_);  // with keepalive
};

RpcClient::RpcClient(RpcClientOptions options) : impl_(std::make_unique<Impl>(options)) {
  PrepareGrpc();
}

RpcClient::~RpcClient() = default;

std::shared_ptr<Channel> RpcClient::Connect(std::string_view address, ChannelOptions options) {
  return impl_->Connect(address, options);
}

void RpcClient::Shutdown() { impl_->Shutdown(); }

}  // namespace rheo::rpc
