// Credentials: what a task or a client shows to others, and what it asks of them, as files.
#ifndef RHEO_SERVICE_CREDENTIALS_H_
#define RHEO_SERVICE_CREDENTIALS_H_

#include <string>

namespace rheo::service {

// All files are PEM, apart from the token's. `rheo credentials DIR` makes a set for one job.
struct Credentials {
  // Certificates of those who may sign others'. A server with it wants a certificate of every
  // client (mutual TLS); a client wants the server's to descend from one of them. A client without
  // it trusts the system's authorities.
  std::string ca_file;
  // The own certificate, with its chain, and its key: a server's identity, and what a client shows.
  std::string cert_file;
  std::string key_file;
  // One line: a secret that every call carries ("authorization: Bearer ...") and a server compares.
  std::string token_file;
  // The name that a server's certificate must bear; empty: the host that is called.
  std::string server_name;

  bool empty() const {
    return ca_file.empty() && cert_file.empty() && key_file.empty() && token_file.empty();
  }
  // The files of a folder that `rheo credentials` made.
  static Credentials InFolder(const std::string& folder) {
    return {.ca_file = folder + "/ca.pem",
            .cert_file = folder + "/cert.pem",
            .key_file = folder + "/key.pem",
            .token_file = folder + "/token"};
  }
};

}  // namespace rheo::service

#endif  // RHEO_SERVICE_CREDENTIALS_H_
