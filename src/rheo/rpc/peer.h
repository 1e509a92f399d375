// Peer: the connection to one task, watched in the way that the task allows.
#ifndef RHEO_RPC_PEER_H_
#define RHEO_RPC_PEER_H_

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "rheo/rpc/client.h"
#include "rheo/rpc/remote.h"

namespace rheo::rpc {

// What is known of a peer; shared by its stubs and whoever asks.
struct PeerTraits {
  // Atomic: written by the thread that completes a call, read by callers.
  std::atomic<bool> is_rheo{false};
  // An offer of the peer could not be read (memory_reader.h): it sends bytes from now on.
  std::atomic<bool> is_unreadable{false};
};

// A task that is not known to be Rheo's is reached over a plain channel, because TensorFlow servers
// drop clients that ping. One that has said that it is Rheo's is reached over a channel with
// keepalive, on which a dead link is noticed within 20 s, idle or not. Thread-safe.
class Peer {
 public:
  // `who` names the peer in messages; `client` outlives the calls.
  Peer(RpcClient& client, std::string_view address, const std::string& who,
       std::shared_ptr<PeerTraits> traits);

  const Remote& remote() const { return traits_->is_rheo ? watched_ : plain_; }
  const std::shared_ptr<PeerTraits>& traits() const { return traits_; }

 private:
  std::shared_ptr<PeerTraits> traits_;
  Remote plain_;
  Remote watched_;
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_PEER_H_
