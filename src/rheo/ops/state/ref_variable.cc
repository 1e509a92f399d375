// Variables behind references: VariableV2, Assign, IsVariableInitialized, temporary variables.
#include <utility>

#include "rheo/kernel/variable.h"
#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/resource_name.h"
#include "rheo/ops/state/kernels.h"
#include "rheo/ops/state/validate_shape.h"

namespace rheo::ops {
namespace {

using kernel::KernelContext;
using kernel::KernelInit;
using kernel::RefVariable;

struct VariableAttrs {
  ResourceName where;
  std::string node_name;
  DType dtype;
  PartialShape shape;
};

StatusOr<VariableAttrs> ReadVariableAttrs(const KernelInit& init) {
  VariableAttrs attrs;
  RHEO_ASSIGN_OR_RETURN(attrs.where, ReadResourceName(init, Unnamed::kNodeName));
  attrs.node_name = init.node_name;
  RHEO_ASSIGN_OR_RETURN(attrs.dtype, init.attrs.Get<DType>("dtype"));
  RHEO_ASSIGN_OR_RETURN(attrs.shape, init.attrs.Get<PartialShape>("shape"));
  return attrs;
}

// Looked up at each run, because a Reset may have removed the variable meanwhile. Where the name
// holds a variable of another dtype, the executor refuses the output.
Status VariableV2(const VariableAttrs& attrs, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(
      std::shared_ptr<RefVariable> variable,
      c.resources().LookupOrCreate<RefVariable>(
          attrs.where.container, attrs.where.name, [&]() -> StatusOr<std::shared_ptr<RefVariable>> {
            return std::make_shared<RefVariable>(attrs.node_name, attrs.dtype, attrs.shape);
          }));
  c.set_output_ref(0, std::move(variable));
  return OkStatus();
}

Status CheckAssignedShape(const RefVariable& variable,
                          const Shape& shape) RHEO_NO_THREAD_SAFETY_ANALYSIS {
  const bool has_value = variable.tensor.has_value();
  const PartialShape expected =
      has_value ? PartialShape(variable.tensor.shape()) : variable.declared_shape();
  if (expected.IsCompatibleWith(shape)) return OkStatus();
  return InvalidArgument(
      "Assign requires shapes of both tensors to match. lhs shape= {} rhs shape= {}. (A variable "
      "that "
      "an earlier job left behind goes with Session.reset.)",
      expected.ToString(), shape.ToString());
}

Status Assign(const bool& validate_shape, KernelContext& c) {
  const std::shared_ptr<RefVariable>& variable = c.shared_input_ref(0);
  Tensor old;  // freed after the lock is released
  {
    MutexLock lock(variable->mutex);
    if (validate_shape) {
      RHEO_RETURN_IF_ERROR(CheckAssignedShape(*variable, c.input(1).shape()));
    }
    old = std::exchange(variable->tensor, c.TakeInput(1));
  }
  c.set_output_ref(0, variable);
  return OkStatus();
}

Status IsVariableInitialized(KernelContext& c) {
  bool has_value = false;
  {
    RefVariable& variable = c.input_ref(0);
    MutexLock lock(variable.mutex);
    has_value = variable.tensor.has_value();
  }
  c.set_output(0, Tensor::Scalar<bool>(has_value));
  return OkStatus();
}

// ---- Variables that end with the step

struct TemporaryAttrs {
  std::string name;
  DType dtype;
  Shape shape;
};

StatusOr<std::string> TemporaryName(const KernelInit& init) {
  RHEO_ASSIGN_OR_RETURN(std::string name, init.attrs.Get<std::string>("var_name"));
  return name.empty() ? init.node_name : name;
}

StatusOr<TemporaryAttrs> ReadTemporaryAttrs(const KernelInit& init) {
  TemporaryAttrs attrs;
  RHEO_ASSIGN_OR_RETURN(attrs.name, TemporaryName(init));
  RHEO_ASSIGN_OR_RETURN(attrs.dtype, init.attrs.Get<DType>("dtype"));
  RHEO_ASSIGN_OR_RETURN(const PartialShape shape, init.attrs.Get<PartialShape>("shape"));
  if (!shape.IsFullyDefined()) {
    return InvalidArgument("a temporary variable needs a known shape, not {}", shape.ToString());
  }
  attrs.shape = shape.ToShape();
  return attrs;
}

// One variable per frame and iteration.
std::string NameInStep(const std::string& name, const KernelContext& c) {
  return fmt::format("{}:{}:{}", name, c.frame(), c.iteration());
}

Status TemporaryVariable(const TemporaryAttrs& attrs, KernelContext& c) {
  const auto variable = std::make_shared<RefVariable>(attrs.name, attrs.dtype, attrs.shape);
  {
    RHEO_ASSIGN_OR_RETURN(Tensor value, c.AllocateTemp(attrs.dtype, attrs.shape));
    MutexLock lock(variable->mutex);
    variable->tensor = std::move(value);
  }
  RHEO_RETURN_IF_ERROR(
      c.step().step_resources->Create<RefVariable>("", NameInStep(attrs.name, c), variable));
  c.set_output_ref(0, variable);
  return OkStatus();
}

Status DestroyTemporaryVariable(const std::string& name, KernelContext& c) {
  Tensor value;
  {
    RefVariable& variable = c.input_ref(0);
    MutexLock lock(variable.mutex);
    value = variable.tensor;
  }
  RHEO_RETURN_IF_ERROR(c.step().step_resources->Delete<RefVariable>("", NameInStep(name, c)));
  c.set_output(0, std::move(value));
  return OkStatus();
}

}  // namespace

void AddRefVariableKernels(TableKernels& kernels) {
  for (const char* op : {"VariableV2", "Variable"}) {
    kernels.Add(op, AttrKernel(&ReadVariableAttrs, &VariableV2));
  }
  kernels.Add("Assign", AttrKernel(&ValidateShape, &Assign));
  kernels.Add("IsVariableInitialized", kernel::FunctionKernel(&IsVariableInitialized));
  kernels.Add("TemporaryVariable", AttrKernel(&ReadTemporaryAttrs, &TemporaryVariable));
  kernels.Add("DestroyTemporaryVariable", AttrKernel(&TemporaryName, &DestroyTemporaryVariable));
}

}  // namespace rheo::ops
