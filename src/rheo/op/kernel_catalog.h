// KernelCatalog: which kernels a task has, as plain data. Placement asks catalogs, never kernels,
// so that a master can place on a peer whose kernels it does not have itself.
#ifndef RHEO_OP_KERNEL_CATALOG_H_
#define RHEO_OP_KERNEL_CATALOG_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/base/string_map.h"
#include "rheo/op/attr_value.h"

namespace rheo::op {

// All of the named attrs must hold one of the values for the kernel to fit.
struct AttrConstraint {
  std::string attr;
  std::vector<AttrValue> allowed;
};

struct KernelRow {
  std::string op;
  std::string device_type;  // "CPU", "GPU", or "DEFAULT": any type without a row of its own
  std::vector<AttrConstraint> constraints;
  std::vector<std::string> host_memory_args;  // names of inputs and outputs kept in host memory
  std::string label;                          // chosen only by a node's `_kernel` attr
  int priority = 0;
};

class KernelCatalog {
 public:
  // Returns the row as kept, valid as long as the catalog.
  const KernelRow* Add(KernelRow row);
  // The row that fits op, attrs and device type, of the highest priority; nullptr when none does.
  const KernelRow* Find(std::string_view op, std::string_view device_type,
                        const AttrMap& attrs) const;
  bool HasOp(std::string_view op) const { return rows_.contains(op); }
  // "CPU: T in [float, double]; …" for messages; "none" when the op has no kernel.
  std::string Describe(std::string_view op) const;
  // All rows, in no fixed order.
  std::vector<const KernelRow*> All() const;

  // Reads the format of spec op_kernels.tsv. INVALID_ARGUMENT naming line and mistake.
  static StatusOr<KernelCatalog> Parse(std::string_view text);

 private:
  StringMap<std::vector<std::shared_ptr<const KernelRow>>> rows_;
};

// True when `attrs` satisfies every constraint of the row.
bool Matches(const KernelRow& row, const AttrMap& attrs);

// The kernels of TensorFlow's CPU build as shipped, for placing on TensorFlow peers.
std::string_view TensorFlowKernelTable();

}  // namespace rheo::op

#endif  // RHEO_OP_KERNEL_CATALOG_H_
