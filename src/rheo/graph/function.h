// Function bodies as graphs.
#ifndef RHEO_GRAPH_FUNCTION_H_
#define RHEO_GRAPH_FUNCTION_H_

#include <memory>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/graph/graph.h"

namespace rheo::graph {

// The body of a function with its attrs bound: `_Arg` and `_Retval` nodes at the ends.
struct FunctionBody {
  std::unique_ptr<Graph> graph;
  std::vector<Node*> args;             // one per flattened input
  std::vector<Node*> returns;          // one per flattened output
  std::vector<Node*> control_returns;  // must run though no output needs them
  op::DTypeVector arg_types;
  op::DTypeVector return_types;
};

// NOT_FOUND when the library has no such function; INVALID_ARGUMENT naming function and node when
// the body is malformed or an attr is missing.
StatusOr<FunctionBody> InstantiateFunction(const op::FuncRef& function,
                                           const FunctionLibraryRef& library,
                                           const op::OpRegistry& ops);

// Copies the body of the call node's function into `graph` in place of `call`: arguments become
// Identity nodes, the call's consumers read the results, its control edges hold for the whole body.
// Body nodes are named `<call>/<node>`; those without a requested device take `call`'s.
Status InlineCall(Graph& graph, Node* call, const FunctionBody& body);

}  // namespace rheo::graph

#endif  // RHEO_GRAPH_FUNCTION_H_
