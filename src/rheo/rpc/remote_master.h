// RemoteMaster: the master of another process, as a MasterService.
#ifndef RHEO_RPC_REMOTE_MASTER_H_
#define RHEO_RPC_REMOTE_MASTER_H_

#include <memory>
#include <string_view>

#include "rheo/rpc/client.h"
#include "rheo/service/master_service.h"

namespace rheo::rpc {

// A stub for the master at "host:port"; `client` outlives it and its calls.
//
// Every call waits for the master to come up, until the call's deadline (DEADLINE_EXCEEDED naming
// the address) or stop token; a connection lost under a call ends it with UNAVAILABLE. Errors of
// RunStep travel in the answer's body, whole and with payloads.
std::shared_ptr<service::MasterService> ConnectMaster(RpcClient& client, std::string_view address);

}  // namespace rheo::rpc

#endif  // RHEO_RPC_REMOTE_MASTER_H_
