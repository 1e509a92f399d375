#include "rheo/ops/common/gradient_builder.h"
#include "rheo/ops/list/register.h"

namespace rheo::ops {

void RegisterListGradients(autodiff::GradientRegistry& registry) {
  AddNoGradients(registry, {"EmptyTensorList", "TensorListReserve", "TensorListLength",
                            "TensorListElementShape", "TensorArrayV3", "TensorArrayGradV3",
                            "TensorArraySizeV3", "TensorArrayCloseV3"});
}

}  // namespace rheo::ops
