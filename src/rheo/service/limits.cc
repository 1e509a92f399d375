#include "rheo/service/limits.h"

#include <fmt/format.h>

namespace rheo::service {

Status BeyondLimit(std::string_view what, int64_t limit, std::string_view flag) {
  return ResourceExhausted("{}; this server takes no more than {} (--{})", what, limit, flag);
}

Status CheckGraphSize(const graph::GraphSize& size, std::string_view whose, const Limits& limits) {
  if (limits.graph_nodes > 0 && size.nodes > limits.graph_nodes) {
    return BeyondLimit(fmt::format("{} has {} nodes", whose, size.nodes), limits.graph_nodes,
                       "max_graph_nodes");
  }
  if (limits.graph_bytes > 0 && size.bytes > limits.graph_bytes) {
    return BeyondLimit(fmt::format("{} has {} bytes", whose, size.bytes), limits.graph_bytes,
                       "max_graph_bytes");
  }
  return OkStatus();
}

}  // namespace rheo::service
