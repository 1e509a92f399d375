// From GraphDef to Graph and back, with the checks a server makes of a client's program.
#ifndef RHEO_GRAPH_IMPORT_H_
#define RHEO_GRAPH_IMPORT_H_

#include <memory>

#include "rheo/base/status.h"
#include "rheo/graph/graph.h"

namespace rheo::graph {

struct ImportOptions {
  // Names beginning with '_' are for graphs that a runtime made.
  bool allow_internal_names = false;
  // Every data input must be connected; off where a step checks only what it uses.
  bool require_all_inputs = false;
};

// Adds nodes and functions of `def` to `graph`; inputs may name nodes of both. On error the graph
// is in an unspecified state: import into a Clone() where it must survive. Errors of wire.md 6.1
// and semantics.md 6: NOT_FOUND for an unregistered op or an attr the types need; INVALID_ARGUMENT
// for a bad or repeated name, an unknown or malformed input, too many inputs, a control before a
// data input, types that do not fit, a cycle outside NextIteration, versions, a malformed device.
// Each names the node.
Status Import(const GraphDef& def, const ImportOptions& options, Graph& graph);

StatusOr<std::unique_ptr<Graph>> ImportNew(const GraphDef& def, const ImportOptions& options,
                                           const op::OpRegistry& ops);

struct ExportOptions {
  bool strip_default_attrs = false;
  // Only functions reachable from the nodes.
  bool reachable_functions_only = false;
  // node.device = the assigned device instead of the requested one.
  bool assigned_devices = false;
};
GraphDef Export(const Graph& graph, const ExportOptions& options);

// What a step will check of the nodes it uses: all inputs connected, all attrs valid, op not
// removed by the graph's producer version. Codes as semantics.md 6.
Status ValidateForExecution(const Node& node, const Versions& versions);

}  // namespace rheo::graph

#endif  // RHEO_GRAPH_IMPORT_H_
