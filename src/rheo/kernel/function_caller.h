// FunctionCaller: how kernels run functions of the program (If, While, PartitionedCall, …). The
// worker provides it.
#ifndef RHEO_KERNEL_FUNCTION_CALLER_H_
#define RHEO_KERNEL_FUNCTION_CALLER_H_

#include <vector>

#include "absl/functional/any_invocable.h"
#include "rheo/async/stop.h"
#include "rheo/base/ids.h"
#include "rheo/base/status.h"
#include "rheo/op/attr_value.h"
#include "rheo/tensor/tensor.h"

namespace rheo::kernel {

struct FunctionId {
  int value = -1;
};

// The arguments and results of one call; a step that runs a function's body points to it. Both have
// their final size before the step starts. Each result is written by one node, so that nodes of
// different results need no lock.
struct CallFrame {
  std::vector<Tensor> arguments;
  std::vector<Tensor> results;
};

// Thread-safe.
class FunctionCaller {
 public:
  virtual ~FunctionCaller() = default;

  // Compiles the function for the caller's device; the same (name, attrs) gives the same id.
  // NOT_FOUND when the library has no such function; errors of its body name function and node.
  virtual StatusOr<FunctionId> Instantiate(const op::FuncRef& function) = 0;

  struct RunArgs {
    StepId step;
    StopToken stop;
    std::vector<Tensor> inputs;
  };
  using Callback = absl::AnyInvocable<void(StatusOr<std::vector<Tensor>>)>;
  // Calls `done` once with the results, perhaps inside this call.
  virtual void Run(FunctionId function, RunArgs args, Callback done) = 0;
};

}  // namespace rheo::kernel

#endif  // RHEO_KERNEL_FUNCTION_CALLER_H_
