// DynamicPartition and DynamicStitch: taking rows apart by number and putting them together.
#include "rheo/ops/array/dims.h"
#include "rheo/ops/array/kernels.h"
#include "rheo/ops/common/gather.h"
#include "rheo/ops/common/kernel_factories.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;

// True when `shape` begins with `prefix`.
bool BeginsWith(const Shape& shape, const Shape& prefix) {
  return shape.rank() >= prefix.rank() &&
         std::equal(prefix.dims().begin(), prefix.dims().end(), shape.dims().begin());
}

// The dims of `shape` after the first `skip`.
std::span<const int64_t> Rest(const Shape& shape, int skip) {
  return shape.dims().subspan(static_cast<size_t>(skip));
}

Status DynamicPartition(KernelContext& c) {
  const Tensor& data = c.input(0);
  const Tensor& partitions = c.input(1);
  if (!BeginsWith(data.shape(), partitions.shape())) {
    return InvalidArgument(
        "data.shape must start with partitions.shape, got data.shape = {}, "
        "partitions.shape = {}",
        data.shape().ToString(), partitions.shape().ToString());
  }
  const std::span<const int32_t> numbers = partitions.flat<int32_t>();
  std::vector<int64_t> sizes(static_cast<size_t>(c.num_outputs()), 0);
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 0 || numbers[i] >= c.num_outputs()) {
      return InvalidArgument("partitions{} = {} is not in [0, {})",
                             PositionText(partitions.shape(), static_cast<int64_t>(i)), numbers[i],
                             c.num_outputs());
    }
    ++sizes[static_cast<size_t>(numbers[i])];
  }
  const std::span<const int64_t> row = Rest(data.shape(), partitions.rank());
  std::vector<Tensor*> outputs;
  for (int i = 0; i < c.num_outputs(); ++i) {
    Shape shape{sizes[static_cast<size_t>(i)]};
    for (const int64_t d : row) shape.AddDim(d);
    RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(i, std::move(shape)));
    outputs.push_back(out);
  }
  const int64_t width = Product(row);
  DispatchByLayout(data.dtype(), [&]<typename T>() {
    std::vector<T*> to;
    for (Tensor* out : outputs) to.push_back(out->mutable_flat<T>().data());
    const T* from = data.flat<T>().data();
    for (const int32_t number : numbers) {
      T*& place = to[static_cast<size_t>(number)];
      place = std::copy_n(from, width, place);
      from += width;
    }
  });
  return OkStatus();
}

// The inputs are N tensors of indices and N of data; later ones win where indices repeat.
StatusOr<Shape> StitchedShape(KernelContext& c, int n) {
  int64_t largest = -1;
  const Shape& first = c.input(n).shape();
  for (int i = 0; i < n; ++i) {
    const Tensor& indices = c.input(i);
    const Shape& data = c.input(n + i).shape();
    if (!BeginsWith(data, indices.shape())) {
      return InvalidArgument("data[{}].shape = {} does not start with indices[{}].shape = {}", i,
                             data.ToString(), i, indices.shape().ToString());
    }
    if (!std::ranges::equal(Rest(data, indices.rank()), Rest(first, c.input(0).rank()))) {
      return InvalidArgument("the rows of data[0] of shape {} and data[{}] of shape {} differ",
                             first.ToString(), i, data.ToString());
    }
    for (const int32_t index : indices.flat<int32_t>()) {
      if (index < 0) return InvalidArgument("indices[{}] holds {}, but must be >= 0", i, index);
      largest = std::max<int64_t>(largest, index);
    }
  }
  Shape shape{largest + 1};
  for (const int64_t d : Rest(first, c.input(0).rank())) shape.AddDim(d);
  return Shape::Create(shape.dims());
}

Status DynamicStitch(KernelContext& c) {
  const int n = c.num_inputs() / 2;
  RHEO_ASSIGN_OR_RETURN(Shape shape, StitchedShape(c, n));
  const int64_t width = Product(Rest(shape, 1));
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, std::move(shape)));
  DispatchByLayout(out->dtype(), [&]<typename T>() {
    const std::span<T> to = out->mutable_flat<T>();
    std::fill(to.begin(), to.end(), T{});  // rows that no index names
    for (int i = 0; i < n; ++i) {
      const T* from = c.input(n + i).flat<T>().data();
      for (const int32_t index : c.input(i).flat<int32_t>()) {
        std::copy_n(from, width, to.data() + index * width);
        from += width;
      }
    }
  });
  return OkStatus();
}

}  // namespace

void AddPartitionKernels(TableKernels& kernels) {
  kernels.Add("DynamicPartition", FunctionKernel(&DynamicPartition));
  kernels.Add("DynamicStitch", FunctionKernel(&DynamicStitch));
  kernels.Add("ParallelDynamicStitch", FunctionKernel(&DynamicStitch));
}

}  // namespace rheo::ops
