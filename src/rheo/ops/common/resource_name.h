// How ops that own a resource name it, from their attrs container and shared_name.
#ifndef RHEO_OPS_COMMON_RESOURCE_NAME_H_
#define RHEO_OPS_COMMON_RESOURCE_NAME_H_

#include <string>

#include "rheo/base/status.h"
#include "rheo/kernel/kernel.h"

namespace rheo::ops {

struct ResourceName {
  std::string container;  // "": the device's default one
  std::string name;
  bool is_private = false;  // belongs to the kernel and ends with it
};

// What a resource without a shared_name is called.
enum class Unnamed {
  kNodeName,  // by the node: sessions that use the same name share it
  kPrivate,   // a name that nobody else has
};

// INVALID_ARGUMENT for a container of other than letters, digits, '-', '.', '/' and for a
// shared_name that begins with '_'.
StatusOr<ResourceName> ReadResourceName(const kernel::KernelInit& init, Unnamed unnamed);

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_RESOURCE_NAME_H_
