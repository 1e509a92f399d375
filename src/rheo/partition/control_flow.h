// What a loop over several devices needs before it can be cut (semantics.md 8.5).
#ifndef RHEO_PARTITION_CONTROL_FLOW_H_
#define RHEO_PARTITION_CONTROL_FLOW_H_

#include "rheo/base/status.h"
#include "rheo/graph/graph.h"
#include "rheo/partition/partition.h"

namespace rheo::partition {

// Moves control-flow nodes to where their values are made or used, so that fewer edges cross:
// Switch and Exit to the producer of their data, Enter and NextIteration to their first consumer.
Status MoveControlFlow(graph::Graph& graph);

// Gives each device of a loop that receives values from another one a loop of its own, driven by
// the loop's condition, and lets its Merge control the nodes that will receive. Edges that have
// such a control input already stay as they are. INVALID_ARGUMENT for a loop without LoopCond.
Status AddControlLoops(const Options& options, graph::Graph& graph);

// True for the Merge of a loop that AddControlLoops, here or in another program, has made.
bool IsControlLoopMerge(const graph::Node& node);

// True when the graph has nodes that the two functions above are about.
bool HasControlFlow(const graph::Graph& graph);

}  // namespace rheo::partition

#endif  // RHEO_PARTITION_CONTROL_FLOW_H_
