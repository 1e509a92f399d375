#include "rheo/runtime/credentials.h"

#include <cstdlib>

namespace rheo::runtime {

service::Credentials OrFromEnvironment(service::Credentials given) {
  const char* const folder = std::getenv(kCredentialsVariable);
  if (!given.empty() || folder == nullptr || *folder == '\0') return given;
  return service::Credentials::InFolder(folder);
}

}  // namespace rheo::runtime
