// KernelRegistry: the kernels of this process, by op, device type and attr values.
#ifndef RHEO_KERNEL_KERNEL_REGISTRY_H_
#define RHEO_KERNEL_KERNEL_REGISTRY_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "rheo/base/status.h"
#include "rheo/kernel/kernel.h"
#include "rheo/op/kernel_catalog.h"

namespace rheo::kernel {

// Registers like this:
//   registry.Add({.op = "Neg", .types = {{"T", {DType::kFloat}}}, .factory =
//   FunctionKernel(&Neg<float>)});
struct KernelRegistration {
  std::string op;
  std::string device_type = "CPU";
  // Attr name → dtypes of which it must hold one.
  std::vector<std::pair<std::string, std::vector<DType>>> types;
  // Other constraints (`data_format:"NHWC"`).
  std::vector<op::AttrConstraint> constraints;
  // Arguments in host memory on an accelerator; names as in the schema.
  std::vector<std::string> host_memory_args;
  std::string label;
  int priority = 0;
  KernelFactory factory;
};

// Filled once at start, then read from any thread.
class KernelRegistry {
 public:
  void Add(KernelRegistration registration);

  // The row that fits, or nullptr.
  const op::KernelRow* Find(std::string_view op, std::string_view device_type,
                            const op::AttrMap& attrs) const {
    return catalog_.Find(op, device_type, attrs);
  }
  // NOT_FOUND "No registered 'X' OpKernel for 'CPU' devices compatible with node {{node n}}" with
  // the types that there are; otherwise what the factory says.
  StatusOr<std::unique_ptr<Kernel>> Create(const KernelInit& init) const;

  // What a master may know of these kernels.
  const op::KernelCatalog& catalog() const { return catalog_; }

 private:
  op::KernelCatalog catalog_;
  absl::flat_hash_map<const op::KernelRow*, KernelFactory> factories_;
};

// By flattened position, true for the arguments that `row` keeps in host memory; strings, resources
// and variants always.
struct MemoryKinds {
  std::vector<bool> host_inputs;
  std::vector<bool> host_outputs;
};
StatusOr<MemoryKinds> ResolveMemoryKinds(const op::OpSchema& schema, const op::AttrMap& attrs,
                                         const op::NodeTypes& types, const op::KernelRow* row);

}  // namespace rheo::kernel

#endif  // RHEO_KERNEL_KERNEL_REGISTRY_H_
