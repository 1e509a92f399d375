// Certificates: making a set for one job, and looking at files before gRPC gets them.
//
// gRPC takes any bytes as a certificate and fails at the first handshake, without a reason that
// helps; these checks name the file and what is wrong with it.
#ifndef RHEO_RPC_CERTIFICATES_H_
#define RHEO_RPC_CERTIFICATES_H_

#include <chrono>
#include <string>
#include <vector>

#include "rheo/base/status.h"

namespace rheo::rpc {

// INVALID_ARGUMENT when `cert` holds no certificate, is not valid today, or `key` is not its key.
Status CheckKeyPair(const std::string& cert, const std::string& key);
// INVALID_ARGUMENT when `ca` holds no certificate or none that is valid today.
Status CheckAuthorities(const std::string& ca);

// PEM texts, and a token, for all tasks and clients of one job.
struct JobCredentials {
  std::string ca;
  std::string cert;
  std::string key;
  std::string token;
};
// One certificate for all of `hosts` (names and addresses) and the loopback names, signed by an
// authority whose key is thrown away: nobody can make another one. P-256 keys; the token has 256
// random bits.
StatusOr<JobCredentials> MakeJobCredentials(const std::vector<std::string>& hosts,
                                            std::chrono::hours valid_for);

}  // namespace rheo::rpc

#endif  // RHEO_RPC_CERTIFICATES_H_
