// What a graph's scopes know of its variables. Internal to client/.
#ifndef RHEO_CLIENT_VARIABLE_LIST_H_
#define RHEO_CLIENT_VARIABLE_LIST_H_

#include <vector>

#include "rheo/client/variable.h"
#include "rheo/graph/graph.h"

namespace rheo::client {

// An Extension of Scope; plain nodes, since it must not own the graph.
struct VariableList {
  struct Entry {
    graph::Node* handle = nullptr;
    graph::Node* value = nullptr;
    graph::Node* initializer = nullptr;
    VariableKind kind = VariableKind::kResource;
    bool trainable = true;
  };
  std::vector<Entry> entries;
};

}  // namespace rheo::client

#endif  // RHEO_CLIENT_VARIABLE_LIST_H_
