// Scope: where new operations go: a graph, a name prefix, a device and control inputs.
//
// Building never throws and never aborts: the first mistake stays in the scope (status()), with the
// op's name and what was wrong; what is built after it is empty and harmless.
#ifndef RHEO_BUILDER_SCOPE_H_
#define RHEO_BUILDER_SCOPE_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/graph/graph.h"
#include "rheo/graph/shape_inference.h"
#include "rheo/op/attr_value.h"
#include "rheo/tensor/tensor.h"

namespace rheo::builder {

class Scope;
struct ScopeState;     // what all scopes of a graph share
struct ScopeSettings;  // prefix, device and so on of one scope

// A node that was added, or nothing after a mistake. Keeps its graph alive.
class Operation {
 public:
  Operation() = default;
  Operation(graph::Node* node, std::shared_ptr<ScopeState> state,
            std::shared_ptr<const ScopeSettings> settings = nullptr)
      : node_(node), state_(std::move(state)), settings_(std::move(settings)) {}
  bool has_value() const { return node_ != nullptr; }
  graph::Node* node() const { return node_; }
  std::string name() const { return node_ == nullptr ? std::string() : node_->name(); }
  int num_outputs() const { return node_ == nullptr ? 0 : node_->num_outputs(); }
  int num_inputs() const { return node_ == nullptr ? 0 : node_->num_inputs(); }
  class Output output(int i) const;
  class Output input(int i) const;
  // The scope it was added in, without its WithName. Precondition: has_value().
  Scope scope() const;
  // This operation as if added in `scope`: operators on its outputs add nodes there.
  Operation InScope(const Scope& scope) const;
  const std::shared_ptr<ScopeState>& state() const { return state_; }

 private:
  graph::Node* node_ = nullptr;
  std::shared_ptr<ScopeState> state_;
  std::shared_ptr<const ScopeSettings> settings_;
};

// One output of an operation: what other operations take as input, and what is fed and fetched.
class Output {
 public:
  Output() = default;
  Output(Operation operation, int index) : operation_(std::move(operation)), index_(index) {}
  // The first output of an operation.
  Output(Operation operation)  // NOLINT(google-explicit-constructor)
      : Output(std::move(operation), 0) {}

  bool has_value() const { return operation_.has_value(); }
  const Operation& op() const { return operation_; }
  graph::Node* node() const { return operation_.node(); }
  int index() const { return index_; }
  graph::Endpoint endpoint() const { return {node(), index_}; }
  DType dtype() const {  // base type; kInvalid when empty
    return node() == nullptr ? DType::kInvalid
                             : RemoveRef(node()->output_types()[static_cast<size_t>(index_)]);
  }
  PartialShape shape() const;  // what is known of it
  std::string name() const;    // "node:index", as Run takes it

  friend bool operator==(const Output& a, const Output& b) { return a.endpoint() == b.endpoint(); }

 private:
  Operation operation_;
  int index_ = 0;
};

// Cheap to copy; copies add to the same graph. Not thread-safe per graph.
class Scope {
 public:
  // A new graph over `ops`, which must outlive it.
  static Scope NewRoot(const op::OpRegistry& ops);

  // The next operation's name (made unique within the scope's prefix).
  Scope WithName(std::string_view name) const;
  // The next operation's whole name, one that UniqueNameFor gave.
  Scope WithReservedName(std::string_view full_name) const;
  // Operations are named "<prefix><name>/…", with a number after `name` if it was taken.
  Scope SubScope(std::string_view name) const;
  // Operations are named "<prefix>/…", whether or not that was used before; "" for none.
  Scope WithPrefix(std::string_view prefix) const;
  Scope WithDevice(std::string_view device) const;  // merged over the present device, part by part
  // The device of each operation is chosen by `choose(op type, name, device so far)`. An inner
  // scope's function is asked first, and the outer one with what it said.
  using DeviceFn = std::function<std::string(std::string_view op, std::string_view name,
                                             std::string_view device)>;
  Scope WithDevice(DeviceFn choose) const;
  Scope WithControlInputs(const std::vector<Operation>& inputs) const;
  Scope WithNoControlInputs() const;
  // On the device of `operation`, whatever device the scope has, and tied to it by placement.
  Scope ColocateWith(const Operation& operation) const;

  graph::Graph& graph() const;
  const graph::ShapeRefiner& shapes() const;
  const Status& status() const;
  // Keeps the first error only.
  void SetError(Status status) const;
  // "<prefix><the name given by WithName, or `op`>", made unique.
  std::string UniqueNameFor(std::string_view op) const;

  // One T per graph, made on first use: where higher layers keep what they know of the graph. It
  // must not own operations or scopes (these own the graph, and with it the T).
  template <typename T>
  T& Extension() const {
    return *static_cast<T*>(
        FindExtension(typeid(T), [] { return std::shared_ptr<void>(std::make_shared<T>()); }));
  }

  const std::shared_ptr<ScopeState>& state() const { return state_; }

 private:
  friend class Operation;
  friend class OpCall;
  Scope(std::shared_ptr<ScopeState> state, std::shared_ptr<const ScopeSettings> settings)
      : state_(std::move(state)), settings_(std::move(settings)) {}
  // A copy whose settings `change` has edited.
  template <typename Change>
  Scope Changed(Change change) const;
  void* FindExtension(std::type_index type, std::shared_ptr<void> (*make)()) const;
  std::string DeviceFor(std::string_view op, std::string_view name) const;

  std::shared_ptr<ScopeState> state_;
  std::shared_ptr<const ScopeSettings> settings_;
};

// Adds a node of type `op`. `inputs` are the flattened data inputs in order. Attrs that follow from
// the inputs (types, numbers and type lists of arguments) are inferred when missing. A mistake goes
// to scope.status() and gives an empty operation.
Operation AddOp(const Scope& scope, std::string_view op, std::vector<Output> inputs = {},
                op::AttrMap attrs = {});

// A Const node.
Output Const(const Scope& scope, Tensor value);
template <typename T>
Output ScalarConst(const Scope& scope, T value) {
  return Const(scope, Tensor::Scalar<T>(value));
}

}  // namespace rheo::builder

#endif  // RHEO_BUILDER_SCOPE_H_
