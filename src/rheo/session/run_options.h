// RunOptions: how a step is to run.
#ifndef RHEO_SESSION_RUN_OPTIONS_H_
#define RHEO_SESSION_RUN_OPTIONS_H_

#include <chrono>

#include "rheo/async/stop.h"
#include "rheo/service/session_config.h"

namespace rheo::session {

struct RunOptions {
  std::chrono::milliseconds timeout{0};  // 0: the session's config.operation_timeout_ms, 0: none
  service::TraceLevel trace = service::TraceLevel::kNone;
  bool output_partition_graphs = false;
  bool report_allocations_upon_oom = false;
  int64_t collective_graph_key = 0;
  StopToken stop;  // ends the step with CANCELLED
};

}  // namespace rheo::session

#endif  // RHEO_SESSION_RUN_OPTIONS_H_
