// Partition: cuts a placed graph into one part per location and joins them by Send and Recv nodes
// (semantics.md 8). The master cuts by task, the worker by device.
#ifndef RHEO_PARTITION_PARTITION_H_
#define RHEO_PARTITION_PARTITION_H_

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "rheo/base/ids.h"
#include "rheo/base/status.h"
#include "rheo/graph/graph.h"

namespace rheo::partition {

struct Options {
  // The location of a node by its assigned device: the task part, or the whole name.
  std::function<std::string(const std::string& device)> location;
  // The incarnation of a device; 0 when unknown.
  std::function<Incarnation(const std::string& device)> incarnation;
  // A name no node of the session has had: `<prefix>` + something, e.g. "w_S7". Send, Recv and
  // control-loop nodes get such names because workers cache stateful kernels by name.
  std::function<std::string(std::string_view prefix)> unique_name;
  // True when output (input) `index` of the node is in host memory on its device; decides between
  // _Send and _HostSend. Null: none is.
  std::function<bool(const graph::Node& node, int index)> output_in_host_memory;
  std::function<bool(const graph::Node& node, int index)> input_in_host_memory;
  // FLOAT values between tasks travel as bfloat16.
  bool bfloat16_transfer = false;
};

// Location → its part. Every node keeps its name and gets its assigned device; the library and
// versions are those of `graph`, which is left in an unspecified state. INVALID_ARGUMENT naming the
// frame when a loop over several locations has no LoopCond.
StatusOr<std::map<std::string, std::unique_ptr<graph::Graph>>> Partition(const Options& options,
                                                                         graph::Graph& graph);

}  // namespace rheo::partition

#endif  // RHEO_PARTITION_PARTITION_H_
