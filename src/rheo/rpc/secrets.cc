#include "rheo/rpc/secrets.h"

#include <openssl/crypto.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "rheo/base/log.h"
#include "rheo/rpc/certificates.h"

namespace rheo::rpc {
namespace {

constexpr size_t kMaxFileBytes = 1 << 20;

StatusOr<std::string> ReadFile(const std::string& what, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return InvalidArgument("the {} file '{}' cannot be read", what, path);
  std::string text(kMaxFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.empty()) return InvalidArgument("the {} file '{}' is empty", what, path);
  if (text.size() > kMaxFileBytes)
    return InvalidArgument("the {} file '{}' is too large", what, path);
  return text;
}

StatusOr<std::string> ReadSecretFile(const std::string& what, const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0 && (info.st_mode & S_IROTH) != 0) {
    RHEO_LOG(Warning, "the {} file '{}' can be read by every user of this machine", what, path);
  }
  return ReadFile(what, path);
}

StatusOr<std::string> ReadToken(const std::string& path) {
  RHEO_ASSIGN_OR_RETURN(std::string token, ReadSecretFile("token", path));
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  const bool is_line = !token.empty() && std::all_of(token.begin(), token.end(),
                                                     [](char c) { return c > ' ' && c < 127; });
  if (is_line) return token;
  return InvalidArgument("the token file '{}' must hold one line of printable letters, no spaces",
                         path);
}

}  // namespace

StatusOr<std::shared_ptr<const Secrets>> Secrets::Load(const service::Credentials& c) {
  if (c.empty()) return std::shared_ptr<const Secrets>();
  auto secrets = std::make_shared<Secrets>();
  secrets->server_name = c.server_name;
  if (c.cert_file.empty() != c.key_file.empty()) {
    return InvalidArgument("a certificate needs its key, and a key its certificate: '{}' is alone",
                           c.cert_file + c.key_file);
  }
  if (!c.ca_file.empty()) {
    RHEO_ASSIGN_OR_RETURN(secrets->ca, ReadFile("CA", c.ca_file));
    RHEO_RETURN_IF_ERROR(
        Prefix(CheckAuthorities(secrets->ca), fmt::format("the CA file '{}': ", c.ca_file)));
  }
  if (!c.cert_file.empty()) {
    RHEO_ASSIGN_OR_RETURN(secrets->cert, ReadFile("certificate", c.cert_file));
    RHEO_ASSIGN_OR_RETURN(secrets->key, ReadSecretFile("key", c.key_file));
    RHEO_RETURN_IF_ERROR(
        Prefix(CheckKeyPair(secrets->cert, secrets->key),
               fmt::format("the certificate file '{}' with key '{}': ", c.cert_file, c.key_file)));
  }
  if (!c.token_file.empty()) {
    RHEO_ASSIGN_OR_RETURN(const std::string token, ReadToken(c.token_file));
    secrets->bearer = "Bearer " + token;
  }
  return std::shared_ptr<const Secrets>(std::move(secrets));
}

bool Secrets::IsTokenHeader(std::string_view header) const {
  return header.size() == bearer.size() &&
         CRYPTO_memcmp(header.data(), bearer.data(), bearer.size()) == 0;
}

}  // namespace rheo::rpc
