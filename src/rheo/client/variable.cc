#include "rheo/client/variable.h"

#include "rheo/builder/const_op.h"
#include "rheo/builder/op_call.h"
#include "rheo/client/variable_list.h"

namespace rheo::client {
namespace {

using builder::Input;
using builder::OpCall;
using builder::Operation;
using builder::Output;
using builder::Scope;

Output Handle(const Scope& scope, const std::string& name, const Output& initial,
              const VariableOptions& options) {
  const bool resource = options.kind == VariableKind::kResource;
  const std::string& shared_name =
      options.shared_name.empty() && resource ? name : options.shared_name;
  return AddOp(scope.WithReservedName(name), resource ? "VarHandleOp" : "VariableV2", {},
               {{"dtype", initial.dtype()},
                {"shape", initial.shape()},
                {"container", options.container},
                {"shared_name", shared_name}});
}

// Where the nodes around a variable go: under its name, on its device.
Scope Beside(const Scope& scope, const Output& handle) {
  return scope.WithPrefix(handle.op().name()).ColocateWith(handle.op());
}

Output AddRead(const Scope& scope, const Output& handle, VariableKind kind, DType dtype) {
  if (!handle.has_value()) return Output();
  if (kind == VariableKind::kReference) return AddOp(scope, "Identity", {handle});
  return AddOp(scope, "ReadVariableOp", {handle}, {{"dtype", dtype}});
}

}  // namespace

Variable::Variable(const Scope& scope, const Input& initial_value, const VariableOptions& options)
    : kind_(options.kind) {
  if (!scope.status().ok()) return;
  const std::string name = scope.UniqueNameFor("Variable");
  const Scope inside = scope.WithPrefix(name);
  const Output initial = initial_value.value().has_value()
                             ? builder::ops::Const(inside.WithName("initial_value"), initial_value)
                             : initial_value.output();
  if (!initial.has_value()) {
    scope.SetError(InvalidArgument("variable '{}': the initial value is empty", name));
    return;
  }
  handle_ = Handle(scope, name, initial, options);
  if (!handle_.has_value()) return;
  const Scope beside = Beside(scope.WithNoControlInputs(), handle_);
  static_cast<Output&>(*this) =
      AddRead(kind_ == VariableKind::kReference ? beside.WithName("read")
                                                : beside.WithPrefix(name + "/Read"),
              handle_, kind_, initial.dtype());
  if (!has_value()) return;
  // What is computed from the value need not be where the variable is.
  static_cast<Output&>(*this) = Output(op().InScope(scope.WithName("")));
  initializer_ = Update(beside.WithName("Assign"), "AssignVariableOp", "Assign", initial);
  if (!scope.status().ok()) return;
  scope.Extension<VariableList>().entries.push_back({.handle = handle_.node(),
                                                     .value = node(),
                                                     .initializer = initializer_.node(),
                                                     .kind = kind_,
                                                     .trainable = options.trainable});
}

Output Variable::Read(const Scope& scope) const {
  const Output value = AddRead(scope.ColocateWith(handle_.op()), handle_, kind_, dtype());
  return value.has_value() ? Output(value.op().InScope(scope.WithName(""))) : value;
}

Operation Variable::Update(const Scope& scope, const char* resource_op, const char* reference_op,
                           const Input& value) const {
  if (!handle_.has_value()) return Operation();
  const Scope beside = scope.ColocateWith(handle_.op());
  OpCall call(beside, kind_ == VariableKind::kResource ? resource_op : reference_op);
  call.In(handle_);
  call.In(value);
  if (kind_ == VariableKind::kResource) call.Attr("dtype", dtype());
  return call.Finish();
}

Operation Variable::Assign(const Scope& scope, const Input& value) const {
  return Update(scope, "AssignVariableOp", "Assign", value);
}
Operation Variable::AssignAdd(const Scope& scope, const Input& value) const {
  return Update(scope, "AssignAddVariableOp", "AssignAdd", value);
}
Operation Variable::AssignSub(const Scope& scope, const Input& value) const {
  return Update(scope, "AssignSubVariableOp", "AssignSub", value);
}

std::vector<Variable> Variables(const Scope& scope) {
  std::vector<Variable> variables;
  for (const VariableList::Entry& entry : scope.Extension<VariableList>().entries) {
    const auto operation = [&scope](graph::Node* node) { return Operation(node, scope.state()); };
    variables.push_back(Variable(Output(operation(entry.value).InScope(scope)),
                                 Output(operation(entry.handle)), operation(entry.initializer),
                                 entry.kind));
  }
  return variables;
}

std::vector<Variable> TrainableVariables(const Scope& scope) {
  const std::vector<Variable> all = Variables(scope);
  const std::vector<VariableList::Entry>& entries = scope.Extension<VariableList>().entries;
  std::vector<Variable> trainable;
  for (size_t i = 0; i < all.size(); ++i) {
    if (entries[i].trainable) trainable.push_back(all[i]);
  }
  return trainable;
}

Operation InitializeVariables(const Scope& scope) {
  return InitializeVariables(scope, Variables(scope));
}

Operation InitializeVariables(const Scope& scope, const std::vector<Variable>& variables) {
  std::vector<Operation> initializers;
  for (const Variable& variable : variables) initializers.push_back(variable.initializer());
  return AddOp(scope.WithName("init").WithControlInputs(initializers), "NoOp");
}

}  // namespace rheo::client
