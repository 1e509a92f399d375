// GraphState: one version of a session's program: as the client wrote it, and placed.
#ifndef RHEO_MASTER_GRAPH_STATE_H_
#define RHEO_MASTER_GRAPH_STATE_H_

#include <memory>
#include <string>

#include "rheo/base/string_map.h"
#include "rheo/graph/graph.h"
#include "rheo/graph/graph_def.h"
#include "rheo/graph/graph_size.h"
#include "rheo/master/session_cluster.h"
#include "rheo/service/limits.h"
#include "rheo/service/session_config.h"

namespace rheo::master {

// Immutable; steps compile from a version while the session moves on to the next.
struct GraphState {
  std::shared_ptr<const graph::Graph> client;
  // The same with functional control flow lowered and every node on a device; the same object where
  // there was nothing to lower.
  std::shared_ptr<const graph::Graph> placed;
  // Stateful nodes and their devices, which later versions keep.
  StringMap<std::string> pinned;
  graph::GraphSize nodes_size;    // of the client's nodes
  graph::GraphSize library_size;  // of its functions
  int64_t version = 0;
};

// The version after `before` (null: the first) with `added`. The errors of wire.md 6.1 and 6.2 but
// for the version check, those of placement, and RESOURCE_EXHAUSTED when it goes beyond the limits.
StatusOr<std::shared_ptr<const GraphState>> NextGraphState(
    const GraphState* before, const graph::GraphDef& added, const SessionCluster& cluster,
    const service::SessionConfig& config, const op::OpRegistry& ops, const service::Limits& limits);

}  // namespace rheo::master

#endif  // RHEO_MASTER_GRAPH_STATE_H_
