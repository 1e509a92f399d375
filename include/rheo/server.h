// Serve one task of a cluster from a C++ program.
//
//   #include <rheo/server.h>
//   ClusterSpec cluster{{"ps", {"127.0.0.1:7000"}}, {"worker", {"127.0.0.1:7001"}}};
//   StatusOr<std::unique_ptr<Server>> server = Server::Start({.cluster = cluster, .job =
//   "worker"}); server.value()->Join();
#ifndef RHEO_SERVER_H_
#define RHEO_SERVER_H_

#include "rheo/runtime/server.h"
#include "rheo/service/cluster_spec.h"

namespace rheo {

using runtime::Server;
using runtime::ServerOptions;
using service::ClusterSpec;
using service::Credentials;
using service::ServerDef;

}  // namespace rheo

#endif  // RHEO_SERVER_H_
