// One call of a method by its path, with any bytes, and its answer as bytes.
#ifndef RHEO_TESTS_CLUSTER_WIRE_CALL_H_
#define RHEO_TESTS_CLUSTER_WIRE_CALL_H_

#include <string>

#include "rheo/base/status.h"
#include "rheo/rpc/client.h"
#include "rheo/wire/message.h"

namespace rheo::cluster_test {

// Waits at most ten seconds for the answer.
StatusOr<std::string> CallPath(rpc::RpcClient& client, const std::string& address,
                               const std::string& path, wire::Message request = {});

}  // namespace rheo::cluster_test

#endif  // RHEO_TESTS_CLUSTER_WIRE_CALL_H_
