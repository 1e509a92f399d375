// What a trace tells of nodes, for cases that look into it.
#ifndef RHEO_TESTS_CLUSTER_TRACE_RECORDS_H_
#define RHEO_TESTS_CLUSTER_TRACE_RECORDS_H_

#include <algorithm>
#include <cstdint>
#include <string>

#include "rheo/trace/step_stats.h"

namespace rheo::cluster_test {

inline int64_t EndOf(const trace::NodeStats& node) { return node.start_nanos + node.end_rel_nanos; }

// The record of a node of a device; null when there is none. One device may have several lists.
inline const trace::NodeStats* Find(const trace::StepStats& stats, const std::string& device,
                                    const std::string& node) {
  for (const trace::DeviceStats& d : stats.devices) {
    if (d.device != device) continue;
    const auto found = std::ranges::find(d.nodes, node, &trace::NodeStats::node_name);
    if (found != d.nodes.end()) return &*found;
  }
  return nullptr;
}

}  // namespace rheo::cluster_test

#endif  // RHEO_TESTS_CLUSTER_TRACE_RECORDS_H_
