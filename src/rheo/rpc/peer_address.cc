#include "rheo/rpc/peer_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace rheo::rpc {
namespace {

// The IPv6 form of IPv4 addresses begins with these bytes.
constexpr std::array<uint8_t, 12> kIpv4Prefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr int kIpv4PrefixBits = 96;

std::string Unbracketed(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  return std::string(text);
}

// gRPC writes the brackets of IPv6 addresses as "%5B" and "%5D".
std::string WithBrackets(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view code = text.substr(i, 3);
    if (code == "%5B" || code == "%5D") {
      result += code == "%5B" ? '[' : ']';
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

}  // namespace

std::optional<PeerAddress> PeerAddress::FromSocket(const sockaddr& address) {
  PeerAddress result;
  if (address.sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &address, sizeof in);
    std::copy(kIpv4Prefix.begin(), kIpv4Prefix.end(), result.bytes_.begin());
    std::memcpy(result.bytes_.data() + kIpv4Prefix.size(), &in.sin_addr, 4);
    return result;
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 in{};
    std::memcpy(&in, &address, sizeof in);
    std::memcpy(result.bytes_.data(), &in.sin6_addr, 16);
    return result;
  }
  return std::nullopt;
}

std::optional<PeerAddress> PeerAddress::Parse(std::string_view text) {
  const std::string host = Unbracketed(text);
  PeerAddress result;
  in_addr in{};
  if (inet_pton(AF_INET, host.c_str(), &in) == 1) {
    std::copy(kIpv4Prefix.begin(), kIpv4Prefix.end(), result.bytes_.begin());
    std::memcpy(result.bytes_.data() + kIpv4Prefix.size(), &in, 4);
    return result;
  }
  if (inet_pton(AF_INET6, host.c_str(), result.bytes_.data()) == 1) return result;
  return std::nullopt;
}

std::optional<PeerAddress> PeerAddress::FromGrpcPeer(std::string_view peer) {
  const size_t scheme = peer.find(':');
  if (scheme == std::string_view::npos) return std::nullopt;
  const std::string address = WithBrackets(peer.substr(scheme + 1));
  const size_t port = address.rfind(':');
  if (port == std::string::npos) return std::nullopt;
  return Parse(std::string_view(address).substr(0, port));
}

bool PeerAddress::is_ipv4() const {
  return std::equal(kIpv4Prefix.begin(), kIpv4Prefix.end(), bytes_.begin());
}

bool PeerAddress::is_loopback() const {
  if (is_ipv4()) return bytes_[12] == 127;
  return std::all_of(bytes_.begin(), bytes_.end() - 1, [](uint8_t b) { return b == 0; }) &&
         bytes_.back() == 1;
}

std::string PeerAddress::ToString() const {
  char text[INET6_ADDRSTRLEN] = "";
  if (is_ipv4()) {
    inet_ntop(AF_INET, bytes_.data() + kIpv4Prefix.size(), text, sizeof text);
  } else {
    inet_ntop(AF_INET6, bytes_.data(), text, sizeof text);
  }
  return text;
}

StatusOr<AddressRange> AddressRange::Parse(std::string_view text) {
  const size_t slash = text.find('/');
  const std::optional<PeerAddress> base = PeerAddress::Parse(text.substr(0, slash));
  const auto fail = [text] {
    return InvalidArgument("'{}' is neither an address nor a range like 10.0.0.0/8", text);
  };
  if (!base) return fail();
  AddressRange range;
  range.base_ = *base;
  if (slash == std::string_view::npos) return range;
  const std::string_view bits = text.substr(slash + 1);
  int given = -1;
  const auto [end, error] = std::from_chars(bits.data(), bits.data() + bits.size(), given);
  const int prefix = base->is_ipv4() ? kIpv4PrefixBits : 0;
  if (error != std::errc() || end != bits.data() + bits.size()) return fail();
  if (given < 0 || given > 128 - prefix) return fail();
  range.num_bits_ = prefix + given;
  return range;
}

bool AddressRange::Contains(const PeerAddress& address) const {
  const size_t whole = static_cast<size_t>(num_bits_) / 8;
  const auto& base = base_.bytes();
  if (!std::equal(base.begin(), base.begin() + static_cast<std::ptrdiff_t>(whole),
                  address.bytes().begin())) {
    return false;
  }
  const int rest = num_bits_ % 8;
  return rest == 0 || (base[whole] ^ address.bytes()[whole]) >> (8 - rest) == 0;
}

std::string JoinHostPort(std::string_view host, int port) {
  const bool is_ipv6 = host.find(':') != std::string_view::npos && !host.starts_with('[');
  return fmt::format("{}{}{}:{}", is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "", port);
}

}  // namespace rheo::rpc
