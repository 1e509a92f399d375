// Switch, Merge, Enter, Exit, NextIteration and their reference forms. Readiness, frames and dead
// values are the executor's; these kernels move a value from an input to an output. An output that
// a Switch leaves unset is dead.
#include <algorithm>

#include "rheo/ops/common/integers.h"
#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/flow/kernels.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;
using kernel::KernelInit;

Status Forward(KernelContext& c) {
  c.set_output(0, c.TakeInput(0));
  return OkStatus();
}

Status ForwardRef(KernelContext& c) {
  c.set_output_ref(0, c.shared_input_ref(0));
  return OkStatus();
}

Status Nothing(KernelContext&) { return OkStatus(); }

// The output that a Switch takes for its predicate.
StatusOr<int> TakenBranch(const KernelContext& c) {
  const Tensor& pred = c.input(1);
  if (pred.num_elements() != 1) {
    return InvalidArgument("The second input must be a scalar, but it has shape {}",
                           pred.shape().ToString());
  }
  return pred.scalar<bool>() ? 1 : 0;
}

Status Switch(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const int branch, TakenBranch(c));
  c.set_output(branch, c.TakeInput(0));
  return OkStatus();
}

Status RefSwitch(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const int branch, TakenBranch(c));
  c.set_output_ref(branch, c.shared_input_ref(0));
  return OkStatus();
}

// An index out of range takes the last branch.
Status SwitchN(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const int64_t index, ReadIntScalar(c.input(1), "output_index"));
  const int last = c.num_outputs() - 1;
  const int branch = index < 0 || index > last ? last : static_cast<int>(index);
  c.set_output(branch, c.TakeInput(0));
  return OkStatus();
}

Status SetValueIndex(KernelContext& c, int index) {
  RHEO_ASSIGN_OR_RETURN(Tensor * value_index, c.AllocateOutput(1, Shape{}));
  value_index->mutable_flat<int32_t>()[0] = index;
  return OkStatus();
}

Status Merge(KernelContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!c.input(i).has_value()) continue;
    c.set_output(0, c.TakeInput(i));
    return SetValueIndex(c, i);
  }
  return Internal("a merge ran without a live input");
}

Status RefMerge(KernelContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (c.shared_input_ref(i) == nullptr) continue;
    c.set_output_ref(0, c.shared_input_ref(i));
    return SetValueIndex(c, i);
  }
  return Internal("a merge ran without a live input");
}

Status RefSelect(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const int64_t index, ReadIntScalar(c.input(0), "index"));
  if (index < 0 || index >= c.num_inputs() - 1) {
    return InvalidArgument("index must be in [0, {}), but is {}", c.num_inputs() - 1, index);
  }
  c.set_output_ref(0, c.shared_input_ref(static_cast<int>(index) + 1));
  return OkStatus();
}

struct AbortAttrs {
  std::string message;
  bool is_error;
};

StatusOr<AbortAttrs> ReadAbortAttrs(const KernelInit& init) {
  AbortAttrs attrs;
  RHEO_ASSIGN_OR_RETURN(attrs.message, init.attrs.Get<std::string>("error_msg"));
  RHEO_ASSIGN_OR_RETURN(const bool quiet, init.attrs.Get<bool>("exit_without_error"));
  attrs.is_error = !quiet;
  return attrs;
}

// Fails the step where TensorFlow would end the process: a graph must not stop a server.
Status Abort(const AbortAttrs& attrs, KernelContext&) {
  return attrs.is_error ? Aborted("Abort_op intentional failure; {}", attrs.message) : OkStatus();
}

}  // namespace

void AddControlFlowKernels(TableKernels& kernels) {
  for (const char* op : {"Enter", "Exit", "NextIteration", "LoopCond"}) {
    kernels.Add(op, FunctionKernel(&Forward));
  }
  for (const char* op : {"RefEnter", "RefExit", "RefNextIteration", "RefIdentity"}) {
    kernels.Add(op, FunctionKernel(&ForwardRef));
  }
  kernels.Add("ControlTrigger", FunctionKernel(&Nothing));
  kernels.Add("Switch", FunctionKernel(&Switch));
  kernels.Add("RefSwitch", FunctionKernel(&RefSwitch));
  kernels.Add("_SwitchN", FunctionKernel(&SwitchN));
  kernels.Add("Merge", FunctionKernel(&Merge));
  kernels.Add("RefMerge", FunctionKernel(&RefMerge));
  kernels.Add("RefSelect", FunctionKernel(&RefSelect));
  kernels.Add("Abort", AttrKernel(&ReadAbortAttrs, &Abort));
}

}  // namespace rheo::ops
