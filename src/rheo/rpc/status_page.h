// The status page of a task: a text about what it does right now, for people and tests.
#ifndef RHEO_RPC_STATUS_PAGE_H_
#define RHEO_RPC_STATUS_PAGE_H_

#include <functional>
#include <string>
#include <string_view>

#include "rheo/base/status.h"
#include "rheo/rpc/client.h"
#include "rheo/service/call.h"

namespace rheo::rpc {

class MethodTable;

// Adds the method /rheo.TaskService/Status, whose answer is the page's text as it is.
void AddStatusPage(MethodTable& table, std::function<std::string()> page);

// The page of the task at "host:port". Blocks; UNAVAILABLE naming the address, DEADLINE_EXCEEDED
// after `timeout`, UNIMPLEMENTED where no Rheo task answers.
StatusOr<std::string> FetchStatusPage(RpcClient& client, std::string_view address,
                                      std::chrono::milliseconds timeout);

}  // namespace rheo::rpc

#endif  // RHEO_RPC_STATUS_PAGE_H_
