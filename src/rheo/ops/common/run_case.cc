// Running one call of an OpCase, with its variables.
#include <algorithm>
#include <string>

#include "rheo/kernel/variable.h"
#include "rheo/ops/common/kernel_test_util.h"
#include "rheo/ops/common/op_case.h"

namespace rheo::ops {
namespace {

using kernel::RefVariable;
using kernel::Value;
using kernel::Variable;

Value Live(Tensor tensor) {
  return {.state = Value::State::kLive, .tensor = std::move(tensor), .ref = nullptr};
}

// A variable and the input that names it.
struct StoredInput {
  Value value;
  std::shared_ptr<RefVariable> reference;
  std::shared_ptr<Variable> resource;

  Tensor Held() const {
    if (reference != nullptr) {
      MutexLock lock(reference->mutex);
      return reference->tensor;
    }
    MutexLock lock(resource->mutex);
    return resource->tensor;
  }
};

StoredInput MakeReference(const std::string& name, const Tensor& initial) {
  auto variable = std::make_shared<RefVariable>(name, initial.dtype());
  {
    MutexLock lock(variable->mutex);
    variable->tensor = initial;
  }
  return {.value = {.state = Value::State::kLive, .tensor = {}, .ref = variable},
          .reference = variable,
          .resource = nullptr};
}

StatusOr<StoredInput> MakeResource(const std::string& name, const Tensor& initial,
                                   kernel::ResourceManager& resources) {
  auto variable = std::make_shared<Variable>(name, initial.dtype());
  {
    MutexLock lock(variable->mutex);
    variable->tensor = initial;
  }
  RHEO_RETURN_IF_ERROR(resources.Create("", name, variable));
  ResourceHandle handle;
  handle.device = MakeTestDevice()->info().name;
  handle.container = resources.default_container();
  handle.name = name;
  handle.type_name = Variable::kTypeName;
  return StoredInput{.value = Live(Tensor::Scalar<ResourceHandle>(std::move(handle))),
                     .reference = nullptr,
                     .resource = variable};
}

// The value of an output that may be a reference.
StatusOr<Tensor> ValueOf(const Value& output, const ConcreteCase& c) {
  if (output.state != Value::State::kLive) return Internal("{} left an output unset", c.op);
  if (output.ref == nullptr) return output.tensor;
  MutexLock lock(output.ref->mutex);
  return output.ref->tensor;
}

}  // namespace

bool HasVariables(const ConcreteCase& c) {
  return std::ranges::find(c.variables, true) != c.variables.end();
}

StatusOr<std::vector<Tensor>> RunCase(const ConcreteCase& c, KernelRunner& runner) {
  if (!HasVariables(c)) return runner.RunOp(c.op, c.attrs, c.inputs);
  RHEO_ASSIGN_OR_RETURN(const auto kernel, runner.Prepare(c.op, c.attrs, c.inputs));
  runner.resources().ClearAll();
  std::vector<Value> inputs;
  std::vector<StoredInput> stored;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    if (!c.variables[i]) {
      inputs.push_back(Live(c.inputs[i]));
      continue;
    }
    const std::string name = "variable_" + std::to_string(i);
    if (IsRef(kernel->types().inputs[i])) {
      stored.push_back(MakeReference(name, c.inputs[i]));
    } else {
      RHEO_ASSIGN_OR_RETURN(StoredInput made, MakeResource(name, c.inputs[i], runner.resources()));
      stored.push_back(std::move(made));
    }
    inputs.push_back(stored.back().value);
  }
  std::vector<Value> outputs(kernel->types().outputs.size());
  RHEO_RETURN_IF_ERROR(kernel->RunUnchecked(inputs, outputs));
  std::vector<Tensor> results;
  for (const Value& output : outputs) {
    RHEO_ASSIGN_OR_RETURN(Tensor value, ValueOf(output, c));
    results.push_back(std::move(value));
  }
  for (const StoredInput& s : stored) results.push_back(s.Held());
  return results;
}

}  // namespace rheo::ops
