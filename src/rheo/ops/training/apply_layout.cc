#include "rheo/ops/training/apply_layout.h"

#include <algorithm>

#include "rheo/ops/common/integers.h"

namespace rheo::ops {
namespace {

using kernel::KernelContext;
using kernel::KernelInit;

// None of these ops has an argument of several tensors, so that positions are argument numbers.
int Position(const op::OpSchema& schema, std::string_view name) {
  for (size_t i = 0; i < schema.inputs.size(); ++i) {
    if (schema.inputs[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

Status CheckRowShapes(const Tensor& var, const Tensor& gradient, const Tensor& indices) {
  if (var.rank() < 1) return InvalidArgument("var must be at least 1 dimensional");
  if (indices.rank() != 1) return InvalidArgument("indices must be one-dimensional");
  Shape expected = var.shape();
  expected.set_dim(0, indices.dim(0));
  if (gradient.shape() == expected) return OkStatus();
  return InvalidArgument("grad of shape {} does not fit {} rows of var of shape {}",
                         gradient.shape().ToString(), indices.dim(0), var.shape().ToString());
}

}  // namespace

StatusOr<ApplyLayout> ApplyLayout::Create(const KernelInit& init, int num_variables,
                                          std::span<const std::string_view> scalar_names) {
  ApplyLayout layout;
  const op::OpSchema& schema = init.schema;
  for (int i = 0; i < num_variables; ++i) {
    layout.variables.push_back(schema.inputs[static_cast<size_t>(i)].name);
  }
  for (const std::string_view name : scalar_names) {
    layout.scalar_names.emplace_back(name);
    layout.scalars.push_back(Position(schema, name));
    if (layout.scalars.back() < 0) return Internal("{} has no input '{}'", schema.name, name);
  }
  layout.gradient_name = Position(schema, "delta") >= 0 ? "delta" : "grad";
  layout.gradient = Position(schema, layout.gradient_name);
  if (layout.gradient < 0) return Internal("{} has no gradient", schema.name);
  layout.indices = Position(schema, "indices");
  layout.options.use_nesterov = init.attrs.GetOr<bool>("use_nesterov", false);
  layout.options.update_slots = init.attrs.GetOr<bool>("update_slots", true);
  layout.options.multiply_linear_by_lr = init.attrs.GetOr<bool>("multiply_linear_by_lr", false);
  return layout;
}

StatusOr<std::vector<StoredTensor>> ApplyLayout::FindVariables(KernelContext& context) const {
  std::vector<StoredTensor> found;
  for (int i = 0; i < static_cast<int>(variables.size()); ++i) {
    StatusOr<StoredTensor> stored = FindStored(context, i);
    if (absl::IsNotFound(stored.status())) {
      return FailedPrecondition("Attempting to use uninitialized value of {}: {}",
                                variables[static_cast<size_t>(i)], Message(stored.status()));
    }
    RHEO_RETURN_IF_ERROR(stored.status());
    found.push_back(*std::move(stored));
  }
  return found;
}

Status ApplyLayout::Check(const KernelContext& context,
                          const std::vector<StoredTensor>& stored) const {
  const Tensor& grad = context.input(gradient);
  for (const StoredTensor& variable : stored) {
    RHEO_RETURN_IF_ERROR(variable.RequireInitialized());
    if (variable.tensor->dtype() != grad.dtype()) {
      return InvalidArgument("{} is {}, but {} is {}", variable.name,
                             DTypeName(variable.tensor->dtype()), gradient_name,
                             DTypeName(grad.dtype()));
    }
  }
  const Tensor& var = *stored[0].tensor;
  for (size_t i = 1; i < stored.size(); ++i) {
    if (!(stored[i].tensor->shape() == var.shape())) {
      return InvalidArgument("var and {} do not have the same shape{} {}", variables[i],
                             var.shape().ToString(), stored[i].tensor->shape().ToString());
    }
  }
  for (size_t i = 0; i < scalars.size(); ++i) {
    const Tensor& scalar = context.input(scalars[i]);
    if (scalar.num_elements() != 1) {
      return InvalidArgument("{} is not a scalar: {}", scalar_names[i], scalar.shape().ToString());
    }
  }
  if (indices >= 0) return CheckRowShapes(var, grad, context.input(indices));
  if (grad.shape() == var.shape()) return OkStatus();
  return InvalidArgument("var and {} do not have the same shape{} {}", gradient_name,
                         var.shape().ToString(), grad.shape().ToString());
}

StatusOr<Dims> ApplyLayout::ReadRows(const KernelContext& context, int64_t num_rows) const {
  RHEO_ASSIGN_OR_RETURN(Dims rows, ReadIntVector(context.input(indices), "indices"));
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || rows[i] >= num_rows) {
      return InvalidArgument("Index {} at offset {} in indices is out of range", rows[i], i);
    }
  }
  return rows;
}

}  // namespace rheo::ops
