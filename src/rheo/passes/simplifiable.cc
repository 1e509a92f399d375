#include "rheo/passes/simplifiable.h"

#include <algorithm>

#include "rheo/graph/traversal.h"

namespace rheo::passes {
namespace {

bool IsControlFlow(const graph::Node& node) {
  return graph::IsSwitch(node) || graph::IsMerge(node) || graph::IsEnter(node) ||
         graph::IsExit(node) || graph::IsNextIteration(node) || graph::IsLoopCond(node);
}

}  // namespace

bool IsPure(const graph::Node& node) {
  if (node.schema().is_stateful || IsControlFlow(node)) return false;
  if (node.op().starts_with("Placeholder")) return false;
  if (std::ranges::any_of(node.input_types(), IsRef)) return false;
  if (std::ranges::any_of(node.output_types(), IsRef)) return false;
  return std::ranges::none_of(node.schema().attrs, [](const op::AttrSpec& attr) {
    return attr.kind == op::AttrKind::kFunc;
  });
}

}  // namespace rheo::passes
