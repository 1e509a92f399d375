// Variable: state that lives on a device between steps, and the operation that initializes it.
#ifndef RHEO_CLIENT_VARIABLE_H_
#define RHEO_CLIENT_VARIABLE_H_

#include <string>
#include <vector>

#include "rheo/builder/input.h"
#include "rheo/builder/scope.h"

namespace rheo::client {

enum class VariableKind {
  kResource,   // VarHandleOp
  kReference,  // VariableV2, TensorFlow's older kind
};

struct VariableOptions {
  VariableKind kind = VariableKind::kResource;
  bool trainable = true;    // is one of TrainableVariables
  std::string container;    // "": the default one
  std::string shared_name;  // "": the node's name
};

// As an Output it is the variable's value, read when the step runs, in no fixed order to
// assignments of the same step; Read() gives reads that control inputs order. All nodes are
// colocated with the variable's own, whose name is the variable's. Empty after a mistake in the
// scope.
//
//   Variable w(g.WithName("w"), ops::Zeros(g, {64, 10}, DType::kFloat));
class Variable : public builder::Output {
 public:
  Variable() = default;
  // dtype and shape are those of `initial_value` (literals keep their C++ type).
  Variable(const builder::Scope& scope, const builder::Input& initial_value,
           const VariableOptions& options = {});

  // The name of the variable, as checkpoints have it.
  std::string variable_name() const { return handle_.op().name(); }
  VariableKind kind() const { return kind_; }
  // The resource handle, or the reference.
  const builder::Output& handle() const { return handle_; }
  // Assigns the initial value.
  const builder::Operation& initializer() const { return initializer_; }

  builder::Output Read(const builder::Scope& scope) const;
  builder::Operation Assign(const builder::Scope& scope, const builder::Input& value) const;
  builder::Operation AssignAdd(const builder::Scope& scope, const builder::Input& value) const;
  builder::Operation AssignSub(const builder::Scope& scope, const builder::Input& value) const;

 private:
  friend std::vector<Variable> Variables(const builder::Scope& scope);
  friend std::vector<Variable> TrainableVariables(const builder::Scope& scope);
  Variable(builder::Output value, builder::Output handle, builder::Operation initializer,
           VariableKind kind)
      : Output(std::move(value)),
        handle_(std::move(handle)),
        initializer_(std::move(initializer)),
        kind_(kind) {}
  builder::Operation Update(const builder::Scope& scope, const char* resource_op,
                            const char* reference_op, const builder::Input& value) const;

  builder::Output handle_;
  builder::Operation initializer_;
  VariableKind kind_ = VariableKind::kResource;
};

// The variables of the scope's graph, in the order they were made.
std::vector<Variable> Variables(const builder::Scope& scope);
std::vector<Variable> TrainableVariables(const builder::Scope& scope);

// An operation that runs the initializers: of all variables made so far, or of those given.
builder::Operation InitializeVariables(const builder::Scope& scope);
builder::Operation InitializeVariables(const builder::Scope& scope,
                                       const std::vector<Variable>& variables);

}  // namespace rheo::client

#endif  // RHEO_CLIENT_VARIABLE_H_
