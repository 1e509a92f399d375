#include "rheo/kernel/kernel_context.h"

namespace rheo::kernel {

StatusOr<Tensor*> KernelContext::AllocateOutput(int i, Shape shape) {
  const DType dtype = RemoveRef(output_type(i));
  RHEO_ASSIGN_OR_RETURN(Tensor tensor,
                        Tensor::Create(p_.step->device->allocator(), dtype, std::move(shape)));
  Value& v = p_.outputs[static_cast<size_t>(i)];
  v.tensor = std::move(tensor);
  v.state = Value::State::kLive;
  return &v.tensor;
}

StatusOr<Tensor*> KernelContext::ForwardOrAllocateOutput(std::initializer_list<int> inputs, int i,
                                                         Shape shape) {
  const DType dtype = RemoveRef(output_type(i));
  for (const int candidate : inputs) {
    Value& in = p_.inputs[static_cast<size_t>(candidate)];
    if (in.ref != nullptr || in.tensor.dtype() != dtype || !in.tensor.is_unique() ||
        in.tensor.num_elements() != shape.num_elements()) {
      continue;
    }
    Value& v = p_.outputs[static_cast<size_t>(i)];
    // The input keeps a second reference until the kernel ends, so that kernels may go on reading
    // it; the two tensors are the same memory.
    v.tensor = in.tensor.Reshaped(std::move(shape));
    v.state = Value::State::kLive;
    return &v.tensor;
  }
  return AllocateOutput(i, std::move(shape));
}

StatusOr<Tensor> KernelContext::AllocateTemp(DType dtype, Shape shape) const {
  return Tensor::Create(p_.step->device->allocator(), dtype, std::move(shape));
}

}  // namespace rheo::kernel
