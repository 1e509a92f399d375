#include "rheo/ops/functional/truth.h"

#include "rheo/ops/common/kernel_factories.h"

namespace rheo::ops {

StatusOr<bool> IsTrue(const Tensor& tensor) {
  if (tensor.rank() > 0) return tensor.num_elements() > 0;
  if (tensor.dtype() == DType::kBool) return tensor.scalar<bool>();
  if (tensor.dtype() == DType::kString) return !tensor.scalar<std::string>().empty();
  StatusOr<bool> truth =
      InvalidArgument("a scalar of {} is neither true nor false", DTypeName(tensor.dtype()));
  internal::CallForDType(NumberTypes{}, tensor.dtype(),
                         [&]<typename T>() { truth = !(tensor.scalar<T>() == T(0)); });
  return truth;
}

}  // namespace rheo::ops
