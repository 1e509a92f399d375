// Fills in which lifetime of a device a Send or Recv means, where the node does not say yet.
#ifndef RHEO_PARTITION_INCARNATIONS_H_
#define RHEO_PARTITION_INCARNATIONS_H_

#include "rheo/graph/function_library.h"
#include "rheo/graph/graph.h"
#include "rheo/partition/partition.h"

namespace rheo::partition {

// Sets send_device_incarnation of a Send or Recv that has none or 0; other nodes stay as they are.
void FillIncarnation(const Options& options, graph::Node& node);

// The library with the same done in the bodies; the same object when there is nothing to fill.
graph::FunctionLibraryRef FillIncarnations(const Options& options,
                                           const graph::FunctionLibraryRef& library);

}  // namespace rheo::partition

#endif  // RHEO_PARTITION_INCARNATIONS_H_
