// PeerAddress: where a connection comes from. AddressRange: many such addresses.
#ifndef RHEO_RPC_PEER_ADDRESS_H_
#define RHEO_RPC_PEER_ADDRESS_H_

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rheo/base/status.h"

namespace rheo::rpc {

// An IP address without a port. An IPv4 address and its IPv6-mapped form are the same.
class PeerAddress {
 public:
  static std::optional<PeerAddress> FromSocket(const sockaddr& address);
  // "10.0.0.7", "::1", "[::1]"; nullopt for anything else, names included.
  static std::optional<PeerAddress> Parse(std::string_view text);
  // gRPC's name of a peer: "ipv4:10.0.0.7:4711", "ipv6:[::1]:4711", also with "%5B" for "[".
  static std::optional<PeerAddress> FromGrpcPeer(std::string_view peer);

  bool is_loopback() const;
  std::string ToString() const;
  const std::array<uint8_t, 16>& bytes() const { return bytes_; }
  bool is_ipv4() const;

  friend bool operator==(const PeerAddress&, const PeerAddress&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const PeerAddress& a) {
    return H::combine(std::move(h), a.bytes_);
  }

 private:
  std::array<uint8_t, 16> bytes_{};  // in IPv6 form
};

// The addresses that share their first bits with another.
class AddressRange {
 public:
  // "10.0.0.0/8", "fd00::/8", or one address. INVALID_ARGUMENT for anything else.
  static StatusOr<AddressRange> Parse(std::string_view text);
  bool Contains(const PeerAddress& address) const;

 private:
  PeerAddress base_;
  int num_bits_ = 128;  // of the IPv6 form
};

// "host:port", with brackets round an IPv6 host.
std::string JoinHostPort(std::string_view host, int port);

}  // namespace rheo::rpc

#endif  // RHEO_RPC_PEER_ADDRESS_H_
