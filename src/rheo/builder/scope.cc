#include "rheo/builder/scope.h"

#include <fmt/format.h>

#include "rheo/builder/scope_state.h"
#include "rheo/device/device_name.h"

namespace rheo::builder {
namespace {

// `base`, or `base_<n>`; taken from now on.
std::string MakeUnique(ScopeState& state, const std::string& base) {
  std::string name = base;
  while (state.names.contains(name) || state.graph.FindNode(name) != nullptr) {
    name = fmt::format("{}_{}", base, ++state.names[base]);
  }
  state.names.try_emplace(name, 0);
  return name;
}

std::vector<graph::Node*> NodesOf(const std::vector<Operation>& operations) {
  std::vector<graph::Node*> nodes;
  for (const Operation& operation : operations) {
    if (operation.has_value()) nodes.push_back(operation.node());
  }
  return nodes;
}

}  // namespace

Output Operation::output(int i) const { return i < num_outputs() ? Output(*this, i) : Output(); }

Output Operation::input(int i) const {
  if (i >= num_inputs()) return Output();
  const graph::Endpoint source = node_->input(i);
  if (source.node == nullptr) return Output();
  return Output(Operation(source.node, state_, settings_), source.index);
}

Scope Operation::scope() const {
  const Scope scope(state_, settings_ ? settings_ : std::make_shared<const ScopeSettings>());
  return scope.WithName("");
}

Operation Operation::InScope(const Scope& scope) const {
  return Operation(node_, state_, scope.settings_);
}

PartialShape Output::shape() const {
  if (!has_value()) return PartialShape();
  return operation_.state()->shapes.ShapeOf(endpoint());
}

std::string Output::name() const {
  return has_value() ? fmt::format("{}:{}", node()->name(), index_) : std::string();
}

Scope Scope::NewRoot(const op::OpRegistry& ops) {
  auto state = std::make_shared<ScopeState>(ops);
  state->graph.set_versions({.producer = graph::kProducerVersion});
  return Scope(std::move(state), std::make_shared<const ScopeSettings>());
}

template <typename Change>
Scope Scope::Changed(Change change) const {
  auto settings = std::make_shared<ScopeSettings>(*settings_);
  change(*settings);
  return Scope(state_, std::move(settings));
}

Scope Scope::WithName(std::string_view name) const {
  return Changed([&](ScopeSettings& s) {
    s.op_name = name;
    s.reserved_name.clear();
  });
}

Scope Scope::WithReservedName(std::string_view full_name) const {
  return Changed([&](ScopeSettings& s) { s.reserved_name = full_name; });
}

Scope Scope::SubScope(std::string_view name) const {
  return WithPrefix(MakeUnique(*state_, settings_->prefix + std::string(name)));
}

Scope Scope::WithPrefix(std::string_view prefix) const {
  return Changed([&](ScopeSettings& s) {
    s.prefix = prefix;
    if (!s.prefix.empty()) s.prefix += '/';
    s.op_name.clear();
    s.reserved_name.clear();
  });
}

Scope Scope::WithDevice(std::string_view device) const {
  const StatusOr<device::DeviceName> inner = device::DeviceName::Parse(device);
  if (!inner.ok()) {
    SetError(inner.status());
    return *this;
  }
  // What is kept was parsed before.
  const StatusOr<device::DeviceName> outer = device::DeviceName::Parse(settings_->device);
  return Changed(
      [&](ScopeSettings& s) { s.device = inner->CompletedFrom(outer.value()).ToString(); });
}

Scope Scope::WithDevice(DeviceFn choose) const {
  return Changed([&](ScopeSettings& s) {
    if (!s.choose_device) {
      s.choose_device = std::move(choose);
      return;
    }
    s.choose_device = [outer = s.choose_device, inner = std::move(choose)](
                          std::string_view op, std::string_view name, std::string_view device) {
      return outer(op, name, inner(op, name, device));
    };
  });
}

Scope Scope::WithControlInputs(const std::vector<Operation>& inputs) const {
  return Changed([&](ScopeSettings& s) {
    const std::vector<graph::Node*> nodes = NodesOf(inputs);
    s.control_inputs.insert(s.control_inputs.end(), nodes.begin(), nodes.end());
  });
}

Scope Scope::WithNoControlInputs() const {
  return Changed([](ScopeSettings& s) { s.control_inputs.clear(); });
}

Scope Scope::ColocateWith(const Operation& operation) const {
  return Changed([&](ScopeSettings& s) {
    if (operation.has_value()) s.colocate_with.push_back(operation.node());
  });
}

graph::Graph& Scope::graph() const { return state_->graph; }
const graph::ShapeRefiner& Scope::shapes() const { return state_->shapes; }
const Status& Scope::status() const { return state_->status; }

void Scope::SetError(Status status) const {
  if (state_->status.ok()) state_->status = std::move(status);
}

std::string Scope::UniqueNameFor(std::string_view op) const {
  if (!settings_->reserved_name.empty()) return settings_->reserved_name;
  const std::string& given = settings_->op_name;
  return MakeUnique(*state_, settings_->prefix + (given.empty() ? std::string(op) : given));
}

std::string Scope::DeviceFor(std::string_view op, std::string_view name) const {
  if (!settings_->colocate_with.empty()) {
    return settings_->colocate_with.back()->requested_device();
  }
  if (!settings_->choose_device) return settings_->device;
  return settings_->choose_device(op, name, settings_->device);
}

void* Scope::FindExtension(std::type_index type, std::shared_ptr<void> (*make)()) const {
  std::shared_ptr<void>& extension = state_->extensions[type];
  if (extension == nullptr) extension = make();
  return extension.get();
}

}  // namespace rheo::builder
