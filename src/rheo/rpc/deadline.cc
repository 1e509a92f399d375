#include "rheo/rpc/deadline.h"

namespace rheo::rpc {

using std::chrono::duration_cast;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

gpr_timespec ToGrpcDeadline(const service::Deadline& deadline) {
  if (!deadline) return gpr_inf_future(GPR_CLOCK_MONOTONIC);
  const nanoseconds left = duration_cast<nanoseconds>(*deadline - steady_clock::now());
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_nanos(left.count(), GPR_TIMESPAN));
}

service::Deadline FromGrpcDeadline(gpr_timespec deadline) {
  // More than a century away is as good as never, and must not overflow.
  constexpr int64_t kMaxSeconds = int64_t{100} * 366 * 24 * 3600;
  const gpr_timespec left = gpr_time_sub(deadline, gpr_now(deadline.clock_type));
  if (left.tv_sec > kMaxSeconds) return std::nullopt;
  const auto seconds = std::chrono::seconds(left.tv_sec);
  return steady_clock::now() +
         duration_cast<steady_clock::duration>(seconds + nanoseconds(left.tv_nsec));
}

}  // namespace rheo::rpc
