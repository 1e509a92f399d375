#include "rheo/autodiff/gradient_registry.h"

#include <algorithm>

namespace rheo::autodiff {

void GradientRegistry::Add(std::string_view op, GradientFn gradient) {
  gradients_.insert_or_assign(std::string(op), std::move(gradient));
}

void GradientRegistry::AddNotDifferentiable(std::string_view op) {
  not_differentiable_.emplace(op);
  Add(op,
      [](const builder::Scope&, const builder::Operation& operation,
         const std::vector<builder::Output>&) -> StatusOr<std::vector<builder::Output>> {
        return std::vector<builder::Output>(static_cast<size_t>(operation.num_inputs()));
      });
}

const GradientFn* GradientRegistry::Find(std::string_view op) const {
  const auto found = gradients_.find(op);
  return found == gradients_.end() ? nullptr : &found->second;
}

std::vector<std::string> GradientRegistry::Ops() const {
  std::vector<std::string> ops;
  for (const auto& [op, gradient] : gradients_) ops.push_back(op);
  std::sort(ops.begin(), ops.end());
  return ops;
}

}  // namespace rheo::autodiff
