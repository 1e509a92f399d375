// Connect: the MasterService behind a session's target.
#ifndef RHEO_RUNTIME_CONNECT_H_
#define RHEO_RUNTIME_CONNECT_H_

#include <memory>
#include <string_view>

#include "rheo/base/status.h"
#include "rheo/service/credentials.h"
#include "rheo/service/master_service.h"
#include "rheo/service/session_config.h"

namespace rheo::runtime {

// "": a new cluster in this process, of one task that lives as long as the result; its devices and
// threads are as `config` says. "grpc://host:port": a stub; nothing is sent yet. INVALID_ARGUMENT
// for anything else, and for credentials that cannot be used. Empty credentials are those of the
// environment variable RHEO_CREDENTIALS, or none. A call through TLS does not wait for a server
// that is not there yet: it fails with UNAVAILABLE, because a wrong certificate looks the same to
// gRPC.
StatusOr<std::shared_ptr<service::MasterService>> Connect(
    std::string_view target, const service::SessionConfig& config = {},
    const service::Credentials& credentials = {});

}  // namespace rheo::runtime

#endif  // RHEO_RUNTIME_CONNECT_H_
