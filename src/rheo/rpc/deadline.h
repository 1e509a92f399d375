// Deadlines of service::Call to and from gRPC's time.
#ifndef RHEO_RPC_DEADLINE_H_
#define RHEO_RPC_DEADLINE_H_

#include <grpc/support/time.h>

#include "rheo/service/call.h"

namespace rheo::rpc {

// On gRPC's monotonic clock; no deadline is the infinite future.
gpr_timespec ToGrpcDeadline(const service::Deadline& deadline);
// Of any clock.
service::Deadline FromGrpcDeadline(gpr_timespec deadline);

}  // namespace rheo::rpc

#endif  // RHEO_RPC_DEADLINE_H_
