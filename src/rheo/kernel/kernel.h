// Kernel: the code of one operation for one device type and dtypes. KernelInit: what it is made
// from.
#ifndef RHEO_KERNEL_KERNEL_H_
#define RHEO_KERNEL_KERNEL_H_

#include <functional>
#include <memory>
#include <string>

#include "rheo/async/notification.h"
#include "rheo/base/status.h"
#include "rheo/device/device.h"
#include "rheo/graph/function_library.h"
#include "rheo/graph/graph.h"
#include "rheo/kernel/kernel_context.h"
#include "rheo/op/attr_value.h"
#include "rheo/op/op_schema.h"

namespace rheo::kernel {

class AsyncKernel;

// Made once for a node of a registered graph (stateful ops: once per node name and session) and run
// by any number of steps at once, so Compute is const in effect: members change only under a lock.
class Kernel {
 public:
  virtual ~Kernel() = default;
  // Reads inputs and sets outputs through `context`. Never blocks, apart from computing. The error
  // text need not name the node; the executor adds it.
  virtual Status Compute(KernelContext& context) = 0;
  // Not null for kernels that may wait.
  virtual AsyncKernel* AsAsync() { return nullptr; }
  // A first guess until the executor has measured: worth handing to another thread?
  virtual bool IsExpensive() const { return false; }
  // For kernels whose single output is always this tensor (Const): the executor then uses it
  // without running the kernel. nullptr for all others.
  virtual const Tensor* ConstantOutput() const { return nullptr; }
};

// A kernel that may wait (receive, dequeue, take_grad, function calls) and never holds a thread
// meanwhile.
class AsyncKernel : public Kernel {
 public:
  // Calls `done` exactly once, perhaps inside this call; `context` lives until then. Must finish
  // promptly once context.stop() fires.
  virtual void ComputeAsync(KernelContext& context, DoneCallback done) = 0;

  Status Compute(KernelContext& context) final;  // INTERNAL: never called
  AsyncKernel* AsAsync() final { return this; }
};

// What a kernel may look at while it is made. The references live at least as long as the kernel.
struct KernelInit {
  const std::string& node_name;
  const op::OpSchema& schema;
  const op::AttrMap& attrs;
  const op::NodeTypes& types;
  device::Device& device;
  // By flattened position: true for arguments in host memory.
  const std::vector<bool>& host_inputs;
  const std::vector<bool>& host_outputs;
};

using KernelFactory = std::function<StatusOr<std::unique_ptr<Kernel>>(const KernelInit&)>;

// A factory for kernels that are a plain function.
using ComputeFn = Status (*)(KernelContext&);
KernelFactory FunctionKernel(ComputeFn compute, bool is_expensive = false);

// A factory for a class with a `static StatusOr<std::unique_ptr<Kernel>> Create(const
// KernelInit&)`.
template <typename K>
KernelFactory ClassKernel() {
  return
      [](const KernelInit& init) -> StatusOr<std::unique_ptr<Kernel>> { return K::Create(init); };
}

}  // namespace rheo::kernel

#endif  // RHEO_KERNEL_KERNEL_H_
