// What all scopes of one graph share. Internal to builder/.
#ifndef RHEO_BUILDER_SCOPE_STATE_H_
#define RHEO_BUILDER_SCOPE_STATE_H_

#include <memory>
#include <string>
#include <typeindex>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/base/string_map.h"
#include "rheo/builder/scope.h"
#include "rheo/graph/graph.h"
#include "rheo/graph/shape_inference.h"

namespace rheo::builder {

struct ScopeState {
  explicit ScopeState(const op::OpRegistry& ops) : graph(ops) {}

  graph::Graph graph;
  graph::ShapeRefiner shapes;
  Status status;
  // Names given to nodes and sub-scopes, with the number that the next clash gets.
  StringMap<int> names;
  absl::flat_hash_map<std::type_index, std::shared_ptr<void>> extensions;
};

// What distinguishes one scope from another; immutable once its scope is made.
struct ScopeSettings {
  std::string prefix;         // "" or "a/b/"
  std::string op_name;        // given by WithName
  std::string reserved_name;  // given by WithReservedName
  std::string device;
  Scope::DeviceFn choose_device;
  // Plain nodes: a scope must not own the state that its operations own.
  std::vector<graph::Node*> control_inputs;
  std::vector<graph::Node*> colocate_with;
};

}  // namespace rheo::builder

#endif  // RHEO_BUILDER_SCOPE_STATE_H_
