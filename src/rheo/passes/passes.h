// Graph-to-graph rewrites that run before placement or before partitioning.
//
// A pass is a function that changes a graph in place and keeps what a client can observe: results,
// errors, the names of feeds, fetches and targets, and the order of side effects.
#ifndef RHEO_PASSES_PASSES_H_
#define RHEO_PASSES_PASSES_H_

#include <functional>
#include <string>
#include <vector>

#include "rheo/base/ids.h"
#include "rheo/base/status.h"
#include "rheo/graph/graph.h"

namespace rheo::passes {

// ---- Prune (semantics.md 2.3, wire.md 13)

struct PruneRequest {
  std::vector<std::string> feeds;  // "node:index"; "node" means "node:0"
  std::vector<std::string> fetches;
  std::vector<std::string> targets;  // "node" or "node:0"
  std::string client_device;         // full name; where feeds enter and fetches leave
  Incarnation client_incarnation;
};

// Rewrites `graph` to what the step needs: a _Recv on the client device in place of each fed
// output, a _Send there for each fetch, whose tensor_name is the feed or fetch as "node:index";
// then drops whatever no target and no fetch depends on. Errors of wire.md 13.6.
Status Prune(const PruneRequest& request, graph::Graph& graph);

// ---- Simplifications of a pruned graph

// Evaluates one node with constant inputs on the host; nodes it has no kernel for: UNIMPLEMENTED.
using ConstantEvaluator = std::function<StatusOr<std::vector<Tensor>>(const graph::Node& node,
                                                                      std::vector<Tensor> inputs)>;

// Replaces stateless nodes whose inputs are all Const by Const nodes of at most `max_bytes` each. A
// node that fails to evaluate stays, so that its error appears when it runs.
Status FoldConstants(const ConstantEvaluator& evaluator, size_t max_bytes, graph::Graph& graph);

// Merges stateless nodes with equal op, attrs, inputs and devices.
Status EliminateCommonSubexpressions(graph::Graph& graph);

// ---- Functions and functional control flow (semantics.md 14.2)

// Turns ParallelConcat into updates of one tensor, and If, Case and While nodes marked
// `_lower_using_switch_merge` into Switch, Merge, Enter, …, and inlines calls that ask for it,
// until none is left; with `inline_all_calls` also every other call, but of functions marked
// `_noinline` or that cannot be instantiated. Functions that call themselves, and calls more than
// 100 deep, stay calls. INVALID_ARGUMENT naming the node when there is no end of nodes. A node of
// the same name takes the place of a lowered node or an inlined call of the given graph.
Status LowerFunctionalOps(bool inline_all_calls, graph::Graph& graph);

// False when LowerFunctionalOps would find nothing to do.
bool NeedsLowering(bool inline_all_calls, const graph::Graph& graph);

}  // namespace rheo::passes

#endif  // RHEO_PASSES_PASSES_H_
