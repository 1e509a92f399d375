#include "rheo/runtime/connect.h"

#include <system_error>
#include <utility>

#include "rheo/rpc/client.h"
#include "rheo/rpc/remote_master.h"
#include "rheo/rpc/secrets.h"
#include "rheo/runtime/credentials.h"
#include "rheo/runtime/task.h"
#include "rheo/service/cluster_spec.h"

namespace rheo::runtime {
namespace {

constexpr std::string_view kGrpcPrefix = "grpc://";

// A stub with the client that its calls run on.
struct RemoteConnection {
  explicit RemoteConnection(std::shared_ptr<const rpc::Secrets> secrets)
      : client({.secrets = std::move(secrets)}) {}
  rpc::RpcClient client;
  std::shared_ptr<service::MasterService> master;
};

// A task in this process.
StatusOr<std::shared_ptr<service::MasterService>> MakeOwnTask(
    const service::SessionConfig& config) {
  try {
    RHEO_ASSIGN_OR_RETURN(std::unique_ptr<Task> made, Task::CreateAlone({.config = config}));
    std::shared_ptr<Task> task = std::move(made);
    return std::shared_ptr<service::MasterService>(task, &task->master());
  } catch (const std::system_error& e) {  // of threads
    return ResourceExhausted("the session has not started: {}", e.what());
  }
}

}  // namespace

StatusOr<std::shared_ptr<service::MasterService>> Connect(std::string_view target,
                                                          const service::SessionConfig& config,
                                                          const service::Credentials& credentials) {
  if (target.empty()) return MakeOwnTask(config);
  if (!target.starts_with(kGrpcPrefix)) {
    return InvalidArgument("the target '{}' is neither empty (this process) nor grpc://host:port",
                           target);
  }
  const std::string_view address = target.substr(kGrpcPrefix.size());
  RHEO_RETURN_IF_ERROR(service::ParseHostPort(address).status());
  RHEO_ASSIGN_OR_RETURN(std::shared_ptr<const rpc::Secrets> secrets,
                        rpc::Secrets::Load(OrFromEnvironment(credentials)));
  auto connection = std::make_shared<RemoteConnection>(std::move(secrets));
  connection->master = rpc::ConnectMaster(connection->client, address);
  return std::shared_ptr<service::MasterService>(connection, connection->master.get());
}

}  // namespace rheo::runtime
