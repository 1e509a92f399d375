// TableKernels: registers kernels for exactly the dtypes, devices and memory kinds that TensorFlow
// has, by copying the rows of its kernel table.
#ifndef RHEO_OPS_COMMON_TABLE_KERNELS_H_
#define RHEO_OPS_COMMON_TABLE_KERNELS_H_

#include <string_view>

#include "rheo/kernel/kernel_registry.h"
#include "rheo/op/kernel_catalog.h"

namespace rheo::ops {

// Used while a family registers; not thread-safe. `registry` must outlive it.
class TableKernels {
 public:
  explicit TableKernels(kernel::KernelRegistry& registry,
                        std::string_view table = op::TensorFlowKernelTable())
      : registry_(registry), table_(table) {}

  // Registers `factory` for each row that `op` has for CPU, and for any device type without a row
  // of its own (such kernels touch host memory only). An op without rows is a mistake of the
  // caller: the process ends with a message.
  void Add(std::string_view op, const kernel::KernelFactory& factory);
  // As Add, but for CPU alone: for kernels that compute with what on another device lies in that
  // device's memory.
  void AddForCpu(std::string_view op, const kernel::KernelFactory& factory);

 private:
  void AddRows(std::string_view op, const kernel::KernelFactory& factory, bool any_device);

  kernel::KernelRegistry& registry_;
  const std::string_view table_;
};

// Registers `factory`, which must touch host memory only, for the rows that TensorFlow has for any
// device type without a row of its own: int32 in host memory, mostly. None is no mistake.
void AddDefaultRows(kernel::KernelRegistry& registry, std::string_view op,
                    const kernel::KernelFactory& factory);

// The lines of `table` (sorted by op) that describe `op`; empty when there are none.
std::string_view TableLinesOf(std::string_view table, std::string_view op);

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_TABLE_KERNELS_H_
