// Finds out why gRPC could not listen on an address; gRPC itself only says that it could not.
#ifndef RHEO_RPC_PORT_PROBE_H_
#define RHEO_RPC_PORT_PROBE_H_

#include <string>

namespace rheo::rpc {

// Tries to bind `address` ("host:port") itself: the system's words for what went wrong, e.g.
// "Address already in use", or "unknown reason" when it succeeds.
std::string WhyNotBound(const std::string& address);

}  // namespace rheo::rpc

#endif  // RHEO_RPC_PORT_PROBE_H_
