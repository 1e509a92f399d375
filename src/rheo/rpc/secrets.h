// Secrets: credentials as read from their files, for servers and clients.
#ifndef RHEO_RPC_SECRETS_H_
#define RHEO_RPC_SECRETS_H_

#include <memory>
#include <string>
#include <string_view>

#include "rheo/base/status.h"
#include "rheo/service/credentials.h"

namespace rheo::rpc {

// Immutable. Its texts never go into logs or messages.
class Secrets {
 public:
  // Reads and checks the files. nullptr when `credentials` name none. INVALID_ARGUMENT naming the
  // file and what is wrong: it cannot be read, is no PEM, has expired, key and certificate do not
  // belong together, the token is empty or more than a line.
  static StatusOr<std::shared_ptr<const Secrets>> Load(const service::Credentials& credentials);

  // Whether calls to others go through TLS.
  bool client_uses_tls() const { return !ca.empty() || !cert.empty(); }
  bool server_uses_tls() const { return !cert.empty(); }
  // Whether a server wants its clients' certificates (mutual TLS).
  bool wants_client_certificate() const { return server_uses_tls() && !ca.empty(); }
  bool has_token() const { return !bearer.empty(); }
  // Whether the value of an "authorization" header is the token's; takes equally long for all
  // values of one length.
  bool IsTokenHeader(std::string_view header) const;

  std::string ca;
  std::string cert;
  std::string key;
  std::string bearer;  // "Bearer <token>"; empty without a token
  std::string server_name;
};

// The name of the header that carries the token.
inline constexpr char kAuthorizationHeader[] = "authorization";

}  // namespace rheo::rpc

#endif  // RHEO_RPC_SECRETS_H_
