// Optionals: tensors that may be absent. What the gradients of conditionals pass between branches.
#include <utility>

#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/tensor_list.h"
#include "rheo/ops/list/kernels.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;
using kernel::KernelInit;

StatusOr<const Optional*> ReadOptional(const KernelContext& c, std::string_view op) {
  const Tensor& tensor = c.input(0);
  const auto* optional =
      tensor.num_elements() == 1 ? tensor.scalar<Variant>().As<Optional>() : nullptr;
  if (optional != nullptr) return optional;
  return InvalidArgument("Input to {} must be an OptionalVariant object.", op);
}

Status OptionalFromValue(KernelContext& c) {
  auto optional = std::make_shared<Optional>();
  optional->values.emplace();
  for (int i = 0; i < c.num_inputs(); ++i) optional->values->push_back(c.TakeInput(i));
  c.set_output(0, Tensor::Scalar(Variant(std::move(optional))));
  return OkStatus();
}

Status OptionalNone(KernelContext& c) {
  c.set_output(0, Tensor::Scalar(Variant(std::make_shared<Optional>())));
  return OkStatus();
}

Status OptionalHasValue(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const Optional* optional, ReadOptional(c, "OptionalHasValue"));
  c.set_output(0, Tensor::Scalar<bool>(optional->values.has_value()));
  return OkStatus();
}

using Shapes = std::vector<PartialShape>;
StatusOr<Shapes> OutputShapes(const KernelInit& init) {
  return init.attrs.Get<Shapes>("output_shapes");
}

Status OptionalGetValue(const Shapes& shapes, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const Optional* optional, ReadOptional(c, "OptionalGetValue"));
  if (!optional->values.has_value()) {
    return InvalidArgument("The given optional does not have a value.");
  }
  const std::vector<Tensor>& values = *optional->values;
  if (values.size() != static_cast<size_t>(c.num_outputs()) || values.size() != shapes.size()) {
    return InvalidArgument("The given optional has {} components, expected {}", values.size(),
                           c.num_outputs());
  }
  for (int i = 0; i < c.num_outputs(); ++i) {
    const Tensor& value = values[static_cast<size_t>(i)];
    const PartialShape& shape = shapes[static_cast<size_t>(i)];
    if (value.dtype() != c.output_type(i)) {
      return InvalidArgument(
          "The given optional does not match the expected type for component {}. Expected: {}. "
          "Actual: {}.",
          i, DTypeName(c.output_type(i)), DTypeName(value.dtype()));
    }
    if (!shape.IsCompatibleWith(value.shape())) {
      return InvalidArgument(
          "The given optional does not match the expected shape for component {}. Expected: {}. "
          "Actual: {}.",
          i, shape.ToString(), value.shape().ToString());
    }
    c.set_output(i, value);
  }
  return OkStatus();
}

}  // namespace

void AddOptionalKernels(TableKernels& kernels) {
  kernels.Add("OptionalFromValue", FunctionKernel(&OptionalFromValue));
  kernels.Add("OptionalNone", FunctionKernel(&OptionalNone));
  kernels.Add("OptionalHasValue", FunctionKernel(&OptionalHasValue));
  kernels.Add("OptionalGetValue", AttrKernel(&OutputShapes, &OptionalGetValue));
}

}  // namespace rheo::ops
