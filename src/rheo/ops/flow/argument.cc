// _Arg and _Retval: the arguments and results of the function call that a step runs.
#include "rheo/kernel/function_caller.h"
#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/flow/kernels.h"

namespace rheo::ops {
namespace {

using kernel::KernelContext;
using kernel::KernelInit;

StatusOr<size_t> ReadIndex(const KernelInit& init) {
  RHEO_ASSIGN_OR_RETURN(const int64_t index, init.attrs.Get<int64_t>("index"));
  if (index < 0) return InvalidArgument("index must not be negative, but is {}", index);
  return static_cast<size_t>(index);
}

Status RequireFrame(const KernelContext& c) {
  return c.step().call == nullptr ? Internal("no function is being called") : OkStatus();
}

Status Arg(const size_t& index, KernelContext& c) {
  RHEO_RETURN_IF_ERROR(RequireFrame(c));
  const std::vector<Tensor>& arguments = c.step().call->arguments;
  if (index >= arguments.size()) {
    return InvalidArgument("argument {} of a call with {} arguments", index, arguments.size());
  }
  const Tensor& argument = arguments[index];
  if (argument.dtype() != c.output_type(0)) {
    return InvalidArgument("Type mismatch: actual {} vs. expect {} of argument {}",
                           DTypeName(argument.dtype()), DTypeName(c.output_type(0)), index);
  }
  c.set_output(0, argument);
  return OkStatus();
}

Status Retval(const size_t& index, KernelContext& c) {
  RHEO_RETURN_IF_ERROR(RequireFrame(c));
  std::vector<Tensor>& results = c.step().call->results;
  if (index >= results.size()) {
    return InvalidArgument("result {} of a function with {} results", index, results.size());
  }
  results[index] = c.TakeInput(0);
  return OkStatus();
}

}  // namespace

void AddArgumentKernels(TableKernels& kernels) {
  for (const char* op : {"_Arg", "_DeviceArg"}) kernels.Add(op, AttrKernel(&ReadIndex, &Arg));
  for (const char* op : {"_Retval", "_DeviceRetval"}) {
    kernels.Add(op, AttrKernel(&ReadIndex, &Retval));
  }
}

}  // namespace rheo::ops
