// AddN: the sum of any number of tensors of one shape.
#include "rheo/ops/common/arithmetic.h"
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/common/tensor_list.h"
#include "rheo/ops/math/kernels.h"

namespace rheo::ops {
namespace {

struct Plus {
  template <typename T>
  T operator()(T x, T y) const {
    return WrapAdd(x, y);
  }
};

// Sums of 16-bit floats are rounded only once.
template <typename T>
void AddWide(KernelContext& context, T* z, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    Wide<T> total = 0;
    for (int k = 0; k < context.num_inputs(); ++k)
      total += context.input(k).flat<T>()[static_cast<size_t>(i)];
    z[i] = total;
  }
}

template <typename T>
Status AddN(KernelContext& context) {
  const Shape shape = context.input(0).shape();
  for (int k = 1; k < context.num_inputs(); ++k) {
    if (!(context.input(k).shape() == shape)) {
      return InvalidArgument(
          "Inputs to operation AddN must have the same size and shape. Input 0: "
          "{} != input {}: {}",
          shape.ToString(), k, context.input(k).shape().ToString());
    }
  }
  if (context.num_inputs() == 1) {
    context.set_output(0, context.input(0));
    return OkStatus();
  }
  const T* first = context.input(0).flat<T>().data();
  const T* second = context.input(1).flat<T>().data();
  RHEO_ASSIGN_OR_RETURN(Tensor * out, context.ForwardOrAllocateOutput({0}, 0, shape));
  T* z = out->mutable_flat<T>().data();
  const int64_t cost = kCheap * context.num_inputs();
  ForElements(context, out->num_elements(), cost, [&](int64_t begin, int64_t end) {
    if constexpr (!std::is_same_v<T, Wide<T>>) {
      AddWide(context, z, begin, end);
    } else {
      LoopBinary<Plus, T, T, true, true>(first + begin, second + begin, z + begin, end - begin);
      for (int k = 2; k < context.num_inputs(); ++k) {
        const T* next = context.input(k).flat<T>().data() + begin;
        LoopBinary<Plus, T, T, true, true>(z + begin, next, z + begin, end - begin);
      }
    }
  });
  return OkStatus();
}

// Lists of tensors, element by element.
Status AddVariants(KernelContext& context) {
  Tensor sum = context.input(0);
  for (int k = 1; k < context.num_inputs(); ++k) {
    RHEO_ASSIGN_OR_RETURN(sum, AddTensors(context, sum, context.input(k)));
  }
  context.set_output(0, std::move(sum));
  return OkStatus();
}

}  // namespace

void RegisterAddNKernels(kernel::KernelRegistry& registry) {
  AddKernel<Variant>(registry, "AddN", &AddVariants);
  ForEachType<NumberTypes>([&]<typename T>() { AddKernel<T>(registry, "AddN", &AddN<T>); });
}

}  // namespace rheo::ops
