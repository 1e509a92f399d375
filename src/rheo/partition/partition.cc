#include "rheo/partition/partition.h"

#include "rheo/partition/control_flow.h"
#include "rheo/partition/cutter.h"

namespace rheo::partition {
namespace {

Status CheckPlaced(const graph::Graph& graph) {
  for (const graph::Node* node : graph.nodes()) {
    if (node->assigned_device().empty()) {
      return InvalidArgument("Node '{}' is missing a device specification", node->name());
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<Parts> Partition(const Options& options, graph::Graph& graph) {
  RHEO_RETURN_IF_ERROR(CheckPlaced(graph));
  if (HasControlFlow(graph)) {
    RHEO_RETURN_IF_ERROR(MoveControlFlow(graph));
    RHEO_RETURN_IF_ERROR(AddControlLoops(options, graph));
  }
  return Cutter(options, graph).Run();
}

}  // namespace rheo::partition
