// Child processes that serve a port: the other end of the raw transports that Rheo is compared
// with.
#ifndef RHEO_BENCH_CHILD_H_
#define RHEO_BENCH_CHILD_H_

#include <functional>
#include <string>

#include "rheo/base/status.h"

namespace rheo::bench {

// Starts this program again with the one argument `role`, on which its main is to call
// ServeAsChild; it ends with this process. The port that it reports. A fork alone would not do: it
// shares the pages of the libraries' tables with this process, and with them the processor's
// caches, which no server and its client do.
StatusOr<int> StartChild(const std::string& role);

// Runs `serve`, which must call its argument once with the port that it listens on. Does not
// return.
[[noreturn]] void ServeAsChild(const std::function<void(const std::function<void(int)>&)>& serve);

}  // namespace rheo::bench

#endif  // RHEO_BENCH_CHILD_H_
