// RpcClient: the calling side of a process or server: its channels, queues and polling threads.
//
// A call whose Call says caller_waits runs on a queue that the calling thread polls itself, so no
// other thread has to be woken. All others complete on a few shared threads, which start with the
// first such call.
#ifndef RHEO_RPC_CLIENT_H_
#define RHEO_RPC_CLIENT_H_

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace rheo::wire {
class VariantDecoders;
}  // namespace rheo::wire

namespace rheo::rpc {

class Channel;
class PolledQueue;
class Secrets;
struct TrafficCounters;

struct RpcClientOptions {
  // Threads that complete calls nobody waits for, and run their callbacks. Null: one of its own.
  std::shared_ptr<PolledQueue> queue;
  // Counts the messages' bytes; outlives the client. Null: nobody asks.
  TrafficCounters* traffic = nullptr;
  // What all channels show and ask for; null: plain calls.
  std::shared_ptr<const Secrets> secrets;
  // How often connections that are watched are pinged.
  std::chrono::milliseconds ping_interval = std::chrono::seconds(10);
  // Reads variants in answers; null: they stay opaque. Outlives the client.
  const wire::VariantDecoders* variants = nullptr;
};

struct ChannelOptions {
  // Watches the connection with pings, so that a dead link is noticed within 20 s, idle or not.
  // Only for peers known to be Rheo: TensorFlow servers drop clients that ping.
  bool keepalive = false;
};

// Thread-safe. Outlives the stubs made from it and their calls' callbacks.
class RpcClient {
 public:
  explicit RpcClient(RpcClientOptions options = {});
  // Cancels all open calls and returns when their callbacks have run. Not to be called from one.
  ~RpcClient();
  RpcClient(const RpcClient&) = delete;
  RpcClient& operator=(const RpcClient&) = delete;

  // The channel to "host:port", shared by all who ask with equal options. Connects with the first
  // call.
  std::shared_ptr<Channel> Connect(std::string_view address, ChannelOptions options = {});

  // Cancels all open calls; calls made from now on are answered CANCELLED at once.
  void Shutdown();

 private:
  friend class Channel;
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_CLIENT_H_
