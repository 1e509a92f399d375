// KernelRunner: runs single kernels without a graph or an executor, for tests and benchmarks.
//
//   KernelRunner runner(ops, kernels);
//   StatusOr<std::vector<Tensor>> out = runner.RunOp("AddV2", {}, {a, b});
#ifndef RHEO_OPS_COMMON_KERNEL_TEST_UTIL_H_
#define RHEO_OPS_COMMON_KERNEL_TEST_UTIL_H_

#include <functional>
#include <memory>
#include <vector>

#include "rheo/async/thread_pool.h"
#include "rheo/device/device.h"
#include "rheo/kernel/kernel.h"
#include "rheo/kernel/kernel_registry.h"
#include "rheo/kernel/resource_manager.h"
#include "rheo/op/op_registry.h"

namespace rheo::ops {

// A CPU device named /job:localhost/replica:0/task:0/device:CPU:0 on the host allocator.
std::unique_ptr<device::Device> MakeTestDevice();

// Sets the attrs that follow from the inputs (types, numbers and type lists of arguments), where
// missing, and the defaults of the rest. INVALID_ARGUMENT when the inputs or the attrs' names do
// not fit the schema.
Status CompleteAttrs(const op::OpSchema& schema, const std::vector<Tensor>& inputs,
                     op::AttrMap& attrs);

// One kernel, made once and run many times. Not thread-safe.
class PreparedKernel {
 public:
  // Everything must outlive the kernel; `pool` may be null.
  static StatusOr<std::unique_ptr<PreparedKernel>> Create(const op::OpSchema& schema,
                                                          const kernel::KernelRegistry& kernels,
                                                          op::AttrMap attrs, device::Device& device,
                                                          kernel::ResourceManager& resources,
                                                          ThreadPool* pool);

  // The outputs of one call; an asynchronous kernel is waited for. INTERNAL when the kernel leaves
  // an output unset or gives it another dtype than the schema says.
  StatusOr<std::vector<Tensor>> Run(std::vector<Tensor> inputs);
  // As Run, but the outputs replace `outputs` and nothing is checked: the bare call, to be timed.
  Status RunUnchecked(std::vector<kernel::Value>& inputs, std::vector<kernel::Value>& outputs);

  const op::NodeTypes& types() const { return types_; }
  const op::AttrMap& attrs() const { return attrs_; }
  // The step in which the kernel runs, to be changed before a run.
  kernel::StepContext& step() { return step_; }

 private:
  PreparedKernel(const op::OpSchema& schema, op::AttrMap attrs)
      : schema_(schema), attrs_(std::move(attrs)) {}

  const op::OpSchema& schema_;
  op::AttrMap attrs_;
  op::NodeTypes types_;
  std::vector<bool> host_inputs_;
  std::vector<bool> host_outputs_;
  kernel::StepContext step_;
  std::unique_ptr<kernel::ResourceManager> step_resources_;
  std::unique_ptr<kernel::Kernel> kernel_;
};

// Runs kernels by op name on a device and resources of its own, which last as long as the runner.
// Not thread-safe.
class KernelRunner {
 public:
  // The registries and the pool outlive the runner; `pool` may be null.
  KernelRunner(const op::OpRegistry& ops, const kernel::KernelRegistry& kernels,
               ThreadPool* pool = nullptr);
  ~KernelRunner();

  // Runs `op` once. Missing attrs are completed (CompleteAttrs). Errors: NOT_FOUND for an op or
  // kernel that there is not, and whatever the kernel says. When the op has a shape function, it
  // must agree with the shapes that the kernel gives: INTERNAL otherwise.
  StatusOr<std::vector<Tensor>> RunOp(std::string_view op, op::AttrMap attrs,
                                      std::vector<Tensor> inputs);

  StatusOr<std::unique_ptr<PreparedKernel>> Prepare(std::string_view op, op::AttrMap attrs,
                                                    const std::vector<Tensor>& example_inputs);

  const op::OpRegistry& ops() const { return ops_; }
  const kernel::KernelRegistry& kernels() const { return kernels_; }
  kernel::ResourceManager& resources() { return resources_; }

 private:
  const op::OpRegistry& ops_;
  const kernel::KernelRegistry& kernels_;
  ThreadPool* const pool_;
  std::unique_ptr<device::Device> device_;
  kernel::ResourceManager resources_;
};

// The registries that a family's tests use: all public schemas with the shape functions, and the
// kernels, that the given functions register.
struct TestRegistries {
  op::OpRegistry ops;
  kernel::KernelRegistry kernels;
};
std::unique_ptr<TestRegistries> MakeTestRegistries(
    const std::function<Status(op::OpRegistry&)>& register_schemas,
    const std::function<void(kernel::KernelRegistry&)>& register_kernels);

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_KERNEL_TEST_UTIL_H_
