// Connect: the MasterService behind a session's target.
#ifndef RHEO_RUNTIME_CONNECT_H_
#define RHEO_RUNTIME_CONNECT_H_

#include <memory>
#include <string_view>

#include "rheo/base/status.h"
#include "rheo/service/master_service.h"
#include "rheo/service/session_config.h"

namespace rheo::runtime {

// "": a new cluster in this process, of one task that lives as long as the result; its devices and
// threads are as `config` says. "grpc://host:port": a stub; nothing is sent yet. INVALID_ARGUMENT
// for anything else.
StatusOr<std::shared_ptr<service::MasterService>> Connect(
    std::string_view target, const service::SessionConfig& config = {});

}  // namespace rheo::runtime

#endif  // RHEO_RUNTIME_CONNECT_H_
