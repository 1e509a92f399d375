#include "rheo/ops/common/owned_resource.h"

namespace rheo::ops {

using kernel::KernelContext;
using kernel::RefVariable;

void SetHandle(KernelContext& context, int i, const std::string& container, const std::string& name,
               std::string_view type_name) {
  if (!IsRef(context.output_type(i))) {
    ResourceHandle handle;
    handle.device = context.step().device->info().name;
    handle.container = container;
    handle.name = name;
    handle.type_name = type_name;
    context.set_output(i, Tensor::Scalar<ResourceHandle>(std::move(handle)));
    return;
  }
  auto reference = std::make_shared<RefVariable>(name, DType::kString, PartialShape{2});
  {
    MutexLock lock(reference->mutex);
    reference->tensor = Tensor::Vector<std::string>({container, name});
  }
  context.set_output_ref(i, std::move(reference));
}

StatusOr<HandleName> ReadHandleName(const KernelContext& context, int i,
                                    std::string_view type_name) {
  if (!IsRef(context.input_type(i))) {
    RHEO_ASSIGN_OR_RETURN(const ResourceHandle* handle, ReadHandle(context, i, type_name));
    return HandleName{handle->container, handle->name};
  }
  const std::shared_ptr<RefVariable>& reference = context.shared_input_ref(i);
  MutexLock lock(reference->mutex);
  const Tensor names = reference->tensor;
  if (names.dtype() != DType::kString || names.num_elements() != 2) {
    return InvalidArgument("Resource handle must have 2 elements, but had shape: {}",
                           names.shape().ToString());
  }
  return HandleName{names.flat<std::string>()[0], names.flat<std::string>()[1]};
}

}  // namespace rheo::ops
