// StepStats: what a traced step did, as plain data. StepObserver: the hook that collects it.
#ifndef RHEO_TRACE_STEP_STATS_H_
#define RHEO_TRACE_STEP_STATS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rheo::trace {

// Times in nanoseconds since 1970 (start) or since start (the others).
struct NodeStats {
  std::string node_name;
  std::string label;  // "name = Op(input, input)"
  int64_t start_nanos = 0;
  int64_t op_start_rel_nanos = 0;
  int64_t op_end_rel_nanos = 0;
  int64_t end_rel_nanos = 0;
  int64_t scheduled_nanos = 0;
  uint32_t thread_id = 0;
  // One per output that the node set.
  struct Output {
    int slot = 0;
    int dtype = 0;  // number of the DType
    std::vector<int64_t> dims;
    int64_t num_bytes = 0;
  };
  std::vector<Output> outputs;
};

struct DeviceStats {
  std::string device;  // full name
  std::vector<NodeStats> nodes;
  std::map<uint32_t, std::string> thread_names;
};

struct StepStats {
  std::vector<DeviceStats> devices;
};

// What the nodes of a part cost in one step; node ids count within the part.
struct CostNode {
  std::string name;
  std::string device;
  int id = 0;
  std::vector<std::pair<int, int>> inputs;  // node, output
  std::vector<int> control_inputs;          // nodes
  std::vector<NodeStats::Output> outputs;   // dtype 0: not measured
  int64_t compute_micros = 0;
  bool is_final = false;  // has effects outside the part
};
using CostGraph = std::vector<CostNode>;

// Receives the events of one step. Methods may be called from several threads at once and must not
// block. The executor tests one pointer per event when no observer is set.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void OnNode(std::string_view device, NodeStats stats) = 0;
};

int64_t NowNanos();  // wall clock, since 1970

}  // namespace rheo::trace

#endif  // RHEO_TRACE_STEP_STATS_H_
