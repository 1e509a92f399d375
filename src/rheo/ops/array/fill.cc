// Ops that make tensors of one value: Fill, ZerosLike, OnesLike, Empty.
#include <algorithm>
#include <cstring>

#include "rheo/ops/array/kernels.h"
#include "rheo/ops/common/integers.h"
#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/tensor_list.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;

// About what one element costs, for sharding.
constexpr int64_t kStoreCostNs = 1;

Status Fill(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(Shape shape, ReadShape(c.input(0), "dims"));
  const Tensor& value = c.input(1);
  if (value.num_elements() != 1) {
    return InvalidArgument("value must be a scalar, but has shape {}", value.shape().ToString());
  }
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, std::move(shape)));
  DispatchByLayout(value.dtype(), [&]<typename T>() {
    const std::span<T> elements = out->mutable_flat<T>();
    c.ParallelFor(out->num_elements(), kStoreCostNs, [&](int64_t begin, int64_t end) {
      std::fill(elements.begin() + begin, elements.begin() + end, value.scalar<T>());
    });
  });
  return OkStatus();
}

void SetZero(Tensor& tensor) {
  if (IsPlainData(tensor.dtype()) && tensor.num_bytes() > 0) {
    std::memset(tensor.mutable_data(), 0, tensor.num_bytes());
  }
}

Status ZerosLike(KernelContext& c) {
  const Tensor& in = c.input(0);
  if (in.dtype() == DType::kVariant) {
    RHEO_ASSIGN_OR_RETURN(Tensor zeros, ZerosLikeTensor(c, in));
    c.set_output(0, std::move(zeros));
    return OkStatus();
  }
  const Shape shape = in.shape();
  if (!IsPlainData(in.dtype())) return c.AllocateOutput(0, shape).status();
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.ForwardOrAllocateOutput({0}, 0, shape));
  SetZero(*out);
  return OkStatus();
}

template <typename T>
Status OnesLike(KernelContext& c) {
  const Shape shape = c.input(0).shape();
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.ForwardOrAllocateOutput({0}, 0, shape));
  std::ranges::fill(out->mutable_flat<T>(), T(1));
  return OkStatus();
}

// The content is undefined unless attr `init` is set; zeros give away nothing of other tensors.
Status Empty(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(Shape shape, ReadShape(c.input(0), "shape"));
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, std::move(shape)));
  SetZero(*out);
  return OkStatus();
}

}  // namespace

void AddFillKernels(TableKernels& kernels) {
  using TypesWithOne =
      TypeList<float, double, Half, Bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
               uint32_t, uint64_t, std::complex<float>, std::complex<double>, bool>;
  kernels.Add("Fill", FunctionKernel(&Fill));
  kernels.Add("ZerosLike", FunctionKernel(&ZerosLike));
  kernels.Add("OnesLike",
              ByType<TypesWithOne>("T", []<typename T>() { return FunctionKernel(&OnesLike<T>); }));
  kernels.Add("Empty", FunctionKernel(&Empty));
}

}  // namespace rheo::ops
