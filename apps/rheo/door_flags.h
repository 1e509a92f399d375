// The flags that say who may come in, shared by the subcommands that serve or call.
#ifndef RHEO_APPS_RHEO_DOOR_FLAGS_H_
#define RHEO_APPS_RHEO_DOOR_FLAGS_H_

#include <string>
#include <string_view>
#include <vector>

#include "flags.h"
#include "rheo/service/credentials.h"

namespace rheo::app {

struct CredentialFlags {
  std::string folder;
  service::Credentials files;

  void AddTo(std::vector<Flag>& flags);
  // The files of --credentials, those that are named one by one in their place.
  service::Credentials Get() const;
};

// For --help.
inline constexpr std::string_view kCredentialHelp =
    R"(  --credentials DIR     certificate, key, CA and token of a folder that `rheo credentials` made
  --tls_ca FILE         whose certificates are accepted; a server wants one of each client then
  --tls_cert FILE       the own certificate; --tls_key FILE its key
  --token_file FILE     the secret that every call must carry
  --tls_server_name N   the name that others' certificates bear (default: the host called)
)";

}  // namespace rheo::app

#endif  // RHEO_APPS_RHEO_DOOR_FLAGS_H_
