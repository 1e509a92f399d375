// PlainPolicy: from which addresses a server takes plain calls, that is, without the credentials
// that it would ask of others.
#ifndef RHEO_RPC_PLAIN_POLICY_H_
#define RHEO_RPC_PLAIN_POLICY_H_

#include <string>
#include <string_view>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/rpc/peer_address.h"

namespace rheo::rpc {

struct PlainPolicy {
  bool any = false;
  bool loopback = false;
  bool cluster = false;  // the hosts of the server's own cluster spec
  std::vector<AddressRange> ranges;
  std::string text;  // as it was given

  // "none", "any", or a list by commas of "loopback", "cluster", addresses and ranges
  // ("10.0.0.0/8"). INVALID_ARGUMENT naming the piece that is wrong.
  static StatusOr<PlainPolicy> Parse(std::string_view text);
  // Loopback and the cluster's hosts, where no credentials are set; nobody where some are.
  static PlainPolicy Default(bool has_credentials);

  // "loopback and the cluster's hosts", for people.
  std::string Describe() const;
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_PLAIN_POLICY_H_
