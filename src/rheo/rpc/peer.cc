#include "rheo/rpc/peer.h"

#include <utility>

namespace rheo::rpc {

Peer::Peer(RpcClient& client, std::string_view address, const std::string& who,
           std::shared_ptr<PeerTraits> traits)
    : traits_(traits != nullptr ? std::move(traits) : std::make_shared<PeerTraits>()),
      plain_(client.Connect(address), who),
      watched_(client.Connect(address, {.keepalive = true}), who) {}

}  // namespace rheo::rpc
