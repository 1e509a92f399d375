// CostsOf(): the cost graph of a part from the times of one step.
#ifndef RHEO_WORKER_COST_GRAPH_H_
#define RHEO_WORKER_COST_GRAPH_H_

#include "rheo/graph/graph_def.h"
#include "rheo/trace/step_stats.h"

namespace rheo::worker {

// One entry per node of `part`, after the two that TensorFlow's graphs begin with; `stats` are
// those of its device. What was not measured, such as transfers, has outputs of unknown size.
trace::CostGraph CostsOf(const graph::GraphDef& part, const trace::StepStats& stats);

}  // namespace rheo::worker

#endif  // RHEO_WORKER_COST_GRAPH_H_
