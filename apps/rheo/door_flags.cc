#include "door_flags.h"

namespace rheo::app {

void CredentialFlags::AddTo(std::vector<Flag>& flags) {
  flags.push_back({.name = "credentials", .text = &folder});
  flags.push_back({.name = "tls_ca", .text = &files.ca_file});
  flags.push_back({.name = "tls_cert", .text = &files.cert_file});
  flags.push_back({.name = "tls_key", .text = &files.key_file});
  flags.push_back({.name = "token_file", .text = &files.token_file});
  flags.push_back({.name = "tls_server_name", .text = &files.server_name});
}

service::Credentials CredentialFlags::Get() const {
  if (folder.empty()) return files;
  service::Credentials result = service::Credentials::InFolder(folder);
  if (!files.ca_file.empty()) result.ca_file = files.ca_file;
  if (!files.cert_file.empty()) result.cert_file = files.cert_file;
  if (!files.key_file.empty()) result.key_file = files.key_file;
  if (!files.token_file.empty()) result.token_file = files.token_file;
  result.server_name = files.server_name;
  return result;
}

}  // namespace rheo::app
