// Calling a function of the program from a kernel.
#ifndef RHEO_OPS_FUNCTIONAL_CALL_H_
#define RHEO_OPS_FUNCTIONAL_CALL_H_

#include <vector>

#include "rheo/async/notification.h"
#include "rheo/kernel/function_caller.h"
#include "rheo/kernel/kernel_context.h"

namespace rheo::ops {

// Runs `function` in the step of `context` and calls `done` once with its results, perhaps inside
// this call. INTERNAL when the step can call no functions.
void CallFunction(const kernel::KernelContext& context, const op::FuncRef& function,
                  std::vector<Tensor> arguments, kernel::FunctionCaller::Callback done);

// The inputs from `first` on, taken out of the context.
std::vector<Tensor> TakeInputs(kernel::KernelContext& context, int first);

// Makes `results` the outputs. INVALID_ARGUMENT when their number is another one.
Status SetOutputs(kernel::KernelContext& context, std::vector<Tensor> results);

// CallFunction with the inputs from `first` on, whose results become the outputs.
void CallForOutputs(kernel::KernelContext& context, const op::FuncRef& function, int first,
                    DoneCallback done);

}  // namespace rheo::ops

#endif  // RHEO_OPS_FUNCTIONAL_CALL_H_
