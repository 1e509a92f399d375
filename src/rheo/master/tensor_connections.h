// The tensor_connection of a callable.
#ifndef RHEO_MASTER_TENSOR_CONNECTIONS_H_
#define RHEO_MASTER_TENSOR_CONNECTIONS_H_

#include <string>
#include <utility>
#include <vector>

#include "rheo/graph/graph.h"

namespace rheo::master {

// For each (from, to): what reads `to` reads `from` instead, through a new Identity. NOT_FOUND for
// a name that is not there, INVALID_ARGUMENT when the connection would make a cycle.
Status ConnectTensors(const std::vector<std::pair<std::string, std::string>>& connections,
                      graph::Graph& graph);

}  // namespace rheo::master

#endif  // RHEO_MASTER_TENSOR_CONNECTIONS_H_
