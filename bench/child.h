// Child processes that serve a port: the other end of the raw transports that Rheo is compared
// with.
#ifndef RHEO_BENCH_CHILD_H_
#define RHEO_BENCH_CHILD_H_

#include <functional>

#include "rheo/base/status.h"

namespace rheo::bench {

// Forks a child that runs `serve`, which must call its argument once with the port that it listens
// on, and ends with this process. The port. To be called before any thread starts.
StatusOr<int> ForkServer(const std::function<void(const std::function<void(int)>&)>& serve);

}  // namespace rheo::bench

#endif  // RHEO_BENCH_CHILD_H_
