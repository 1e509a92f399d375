// The operations that read and write files of the task's machine.
#ifndef RHEO_OPS_IO_REGISTER_H_
#define RHEO_OPS_IO_REGISTER_H_

#include <memory>
#include <string_view>
#include <vector>

#include "rheo/kernel/kernel_registry.h"
#include "rheo/op/op_registry.h"
#include "rheo/ops/io/file_policy.h"

namespace rheo::ops {

// Sets the shape functions. NOT_FOUND when `registry` lacks the public ops.
Status RegisterIoSchemas(op::OpRegistry& registry);
// Kernels that keep to `files`. Where it allows nothing they cannot be made: PERMISSION_DENIED.
void RegisterIoKernels(kernel::KernelRegistry& registry, std::shared_ptr<const FilePolicy> files);

// Every op of this family, ordered by name.
std::vector<std::string_view> IoOps();

}  // namespace rheo::ops

#endif  // RHEO_OPS_IO_REGISTER_H_
