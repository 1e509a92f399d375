// Ops that hand on their inputs as they are: each costs a reference count at most.
#include <cstring>

#include "rheo/ops/array/kernels.h"
#include "rheo/ops/common/kernel_factories.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;
using kernel::KernelInit;

Status NoOp(KernelContext&) { return OkStatus(); }

Status Identity(KernelContext& c) {
  c.set_output(0, c.TakeInput(0));
  return OkStatus();
}

Status IdentityN(KernelContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) c.set_output(i, c.TakeInput(i));
  return OkStatus();
}

Status DeepCopy(KernelContext& c) {
  const Tensor& input = c.input(0);
  if (!IsPlainData(input.dtype())) {
    c.set_output(0, input.Clone());
    return OkStatus();
  }
  RHEO_ASSIGN_OR_RETURN(Tensor* const copy, c.AllocateOutput(0, input.shape()));
  if (input.num_bytes() > 0) std::memcpy(copy->mutable_data(), input.data(), input.num_bytes());
  return OkStatus();
}

StatusOr<PartialShape> ExpectedShape(const KernelInit& init) {
  return init.attrs.Get<PartialShape>("shape");
}

Status EnsureShape(const PartialShape& expected, KernelContext& c) {
  const Shape& shape = c.input(0).shape();
  if (!expected.IsCompatibleWith(shape)) {
    return InvalidArgument("Shape of tensor {} is not compatible with expected shape {}.",
                           shape.ToString(), expected.ToString());
  }
  return Identity(c);
}

// The shape of a tensor of `in`-byte elements read as `out`-byte elements.
StatusOr<Shape> BitcastShape(const Shape& shape, int64_t in, int64_t out) {
  Shape result = shape;
  if (in > out) {
    result.AddDim(in / out);
  } else if (in < out) {
    const int last = shape.rank() - 1;
    if (last < 0 || shape.dim(last) != out / in) {
      return InvalidArgument(
          "the last dimension of shape {} must be {} to make elements of {} "
          "bytes from elements of {}",
          shape.ToString(), out / in, out, in);
    }
    result.RemoveDim(last);
  }
  return result;
}

Status Bitcast(KernelContext& c) {
  const Tensor& in = c.input(0);
  const DType type = c.output_type(0);
  RHEO_ASSIGN_OR_RETURN(const Shape shape,
                        BitcastShape(in.shape(), static_cast<int64_t>(DTypeSize(in.dtype())),
                                     static_cast<int64_t>(DTypeSize(type))));
  if (DTypeSize(in.dtype()) == DTypeSize(type)) {
    c.set_output(0, in.Bitcasted(type));
    return OkStatus();
  }
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, shape));
  const std::span<const char> bytes = in.bytes();
  std::copy(bytes.begin(), bytes.end(), static_cast<char*>(out->mutable_data()));
  return OkStatus();
}

}  // namespace

void AddIdentityKernels(TableKernels& kernels) {
  kernels.Add("NoOp", FunctionKernel(&NoOp));
  for (const char* op :
       {"Identity", "StopGradient", "PreventGradient", "PlaceholderWithDefault", "Snapshot"}) {
    kernels.Add(op, FunctionKernel(&Identity));
  }
  kernels.Add("IdentityN", FunctionKernel(&IdentityN));
  kernels.Add("DeepCopy", FunctionKernel(&DeepCopy));
  kernels.Add("EnsureShape", AttrKernel(&ExpectedShape, &EnsureShape));
  kernels.Add("Bitcast", FunctionKernel(&Bitcast));
}

}  // namespace rheo::ops
