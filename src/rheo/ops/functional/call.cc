#include "rheo/ops/functional/call.h"

#include <utility>

namespace rheo::ops {

using kernel::FunctionCaller;
using kernel::KernelContext;

void CallFunction(const KernelContext& context, const op::FuncRef& function,
                  std::vector<Tensor> arguments, FunctionCaller::Callback done) {
  FunctionCaller* const caller = context.step().functions;
  if (caller == nullptr) {
    done(Internal("function '{}' cannot be called here", function.name));
    return;
  }
  const StatusOr<kernel::FunctionId> id = caller->Instantiate(function);
  if (!id.ok()) {
    done(id.status());
    return;
  }
  caller->Run(*id,
              {.step = context.step().step, .stop = context.stop(), .inputs = std::move(arguments)},
              std::move(done));
}

std::vector<Tensor> TakeInputs(KernelContext& context, int first) {
  std::vector<Tensor> inputs;
  for (int i = first; i < context.num_inputs(); ++i) inputs.push_back(context.TakeInput(i));
  return inputs;
}

Status SetOutputs(KernelContext& context, std::vector<Tensor> results) {
  if (static_cast<int>(results.size()) != context.num_outputs()) {
    return InvalidArgument("the function gave {} results, but the node has {} outputs",
                           results.size(), context.num_outputs());
  }
  for (int i = 0; i < context.num_outputs(); ++i) {
    context.set_output(i, std::move(results[static_cast<size_t>(i)]));
  }
  return OkStatus();
}

void CallForOutputs(KernelContext& context, const op::FuncRef& function, int first,
                    DoneCallback done) {
  CallFunction(context, function, TakeInputs(context, first),
               [&context, done = std::move(done)](StatusOr<std::vector<Tensor>> results) mutable {
                 done(results.ok() ? SetOutputs(context, *std::move(results)) : results.status());
               });
}

}  // namespace rheo::ops
