// How the master cuts a step by task.
#ifndef RHEO_MASTER_PART_OPTIONS_H_
#define RHEO_MASTER_PART_OPTIONS_H_

#include <functional>
#include <string>

#include "rheo/master/session_cluster.h"
#include "rheo/partition/partition.h"
#include "rheo/service/session_config.h"

namespace rheo::master {

// The result refers to `cluster`, which outlives its use.
partition::Options PartOptions(const SessionCluster& cluster, const service::SessionConfig& config,
                               std::function<std::string(std::string_view)> unique_name);

// Sets `_rheo_push` on the Send and Recv nodes of `part` whose other end is another task, when both
// are Rheo tasks: the sender then pushes the value and the receiver waits for it. Both ends of a
// pair are marked alike, since both come from the same two device names.
void MarkPushedPairs(const SessionCluster& cluster, graph::Graph& part);

}  // namespace rheo::master

#endif  // RHEO_MASTER_PART_OPTIONS_H_
