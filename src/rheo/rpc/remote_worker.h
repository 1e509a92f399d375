// RemoteWorker: the worker of another task, as a WorkerService.
#ifndef RHEO_RPC_REMOTE_WORKER_H_
#define RHEO_RPC_REMOTE_WORKER_H_

#include <memory>
#include <string>
#include <string_view>

#include "rheo/rpc/client.h"
#include "rheo/rpc/peer.h"
#include "rheo/service/worker_service.h"

namespace rheo::rpc {

// A stub for the worker of `task` ("/job:ps/replica:0/task:0") at "host:port"; `client` outlives it
// and its calls. `traits`, unless null, learns from each GetStatus.
//
// Nothing is retried. Calls to a task that is down fail at once with UNAVAILABLE naming task,
// address and cause, unless call.wait_for_ready. A call that ends CANCELLED is derived: a cancelled
// call never carries the cause. Errors of RunGraph travel in the answer's body.
std::shared_ptr<service::WorkerService> ConnectWorker(RpcClient& client, std::string_view task,
                                                      std::string_view address,
                                                      std::shared_ptr<PeerTraits> traits = nullptr);

}  // namespace rheo::rpc

#endif  // RHEO_RPC_REMOTE_WORKER_H_
