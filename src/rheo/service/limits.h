// Limits: how much callers may ask of one server.
#ifndef RHEO_SERVICE_LIMITS_H_
#define RHEO_SERVICE_LIMITS_H_

#include <cstdint>
#include <string_view>

#include "rheo/base/status.h"
#include "rheo/graph/graph_size.h"

namespace rheo::service {

// 0 is no limit. What goes beyond is refused with RESOURCE_EXHAUSTED, naming value, limit and
// option; only bytes in flight are waited for.
struct Limits {
  // Stands for half of the memory that this process may use.
  static constexpr int64_t kHalfOfMemory = -1;

  // Open at once: those of this server's master, and those that its worker keeps for all masters.
  int64_t sessions = 10'000;
  // Of one session's graph, and of each part of a graph that a master registers here; the nodes of
  // functions included.
  int64_t graph_nodes = 10'000'000;
  int64_t graph_bytes = int64_t{8} << 30;
  // Of one request. gRPC itself takes none beyond 2 GiB.
  int64_t message_bytes = 0;
  // Of all requests that clients' calls have brought and that are not answered yet. Beyond it calls
  // are left unread until others end; small ones, and those of running steps, never wait.
  int64_t bytes_in_flight = kHalfOfMemory;

  static Limits None() { return {0, 0, 0, 0, 0}; }
};

// RESOURCE_EXHAUSTED "<what>; this server takes no more than <limit> (--<flag>)".
Status BeyondLimit(std::string_view what, int64_t limit, std::string_view flag);

// RESOURCE_EXHAUSTED when a graph of this size is too large: "<whose> has 12 nodes; ...".
Status CheckGraphSize(const graph::GraphSize& size, std::string_view whose, const Limits& limits);

}  // namespace rheo::service

#endif  // RHEO_SERVICE_LIMITS_H_
