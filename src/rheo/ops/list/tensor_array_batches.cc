// Many elements of a TensorArray at once: gather, scatter, concat, split, and the older pack and
// unpack.
#include <algorithm>
#include <numeric>
#include <utility>

#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/rows.h"
#include "rheo/ops/list/batches.h"
#include "rheo/ops/list/kernels.h"
#include "rheo/ops/list/tensor_array_handle.h"

namespace rheo::ops {
namespace {

using kernel::KernelContext;
using kernel::KernelInit;

using ArrayPtr = std::shared_ptr<TensorArray>;

std::vector<int64_t> FirstIndices(int64_t n) {
  std::vector<int64_t> indices(static_cast<size_t>(n));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

StatusOr<std::vector<int64_t>> ReadIndices(const KernelContext& c, int i) {
  const Tensor& tensor = c.input(i);
  if (tensor.rank() != 1) {
    return InvalidArgument("Expected indices to be a vector, but received shape: {}",
                           tensor.shape().ToString());
  }
  const auto values = tensor.flat<int32_t>();
  return std::vector<int64_t>(values.begin(), values.end());
}

// ---- Gather

StatusOr<PartialShape> ElementShape(const KernelInit& init) {
  return init.attrs.Get<PartialShape>("element_shape");
}

Status GatherElements(const PartialShape& declared, KernelContext& c, const ArrayPtr& array,
                      const std::vector<int64_t>& indices) {
  RHEO_RETURN_IF_ERROR(CheckReadDType(c, *array));
  RHEO_RETURN_IF_ERROR(array->RefineElementShape(declared));
  PartialShape shape = array->element_shape();
  if (indices.empty()) {
    if (!shape.IsFullyDefined()) {
      return Unimplemented(
          "TensorArray has size zero, but element shape {} is not fully defined. Currently only "
          "static shapes are supported when packing zero-size TensorArrays.",
          shape.ToString());
    }
    return c.AllocateOutput(0, WithFirst(0, shape.ToShape())).status();
  }
  RHEO_ASSIGN_OR_RETURN(const std::vector<Tensor> values, array->ReadAll(c, indices));
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i].shape() == values[0].shape()) continue;
    return InvalidArgument(
        "TensorArray has inconsistent shapes.  Index 0 has shape: {} but index {} has shape: {}",
        values[0].shape().ToString(), i, values[i].shape().ToString());
  }
  RHEO_ASSIGN_OR_RETURN(Tensor all, StackRows(c, array->dtype(), values[0].shape(), values));
  c.set_output(0, std::move(all));
  return OkStatus();
}

Status TensorArrayGather(const PartialShape& declared, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const ArrayPtr array, FindArray(c));
  RHEO_ASSIGN_OR_RETURN(const std::vector<int64_t> indices, ReadIndices(c, 1));
  return GatherElements(declared, c, array, indices);
}

Status TensorArrayPack(const PartialShape& declared, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const ArrayPtr array, FindArray(c));
  RHEO_ASSIGN_OR_RETURN(const int64_t size, array->concat_size());
  return GatherElements(declared, c, array, FirstIndices(size));
}

// ---- Scatter

Status CheckWriteDType(const TensorArray& array, const Tensor& value) {
  if (value.dtype() == array.dtype()) return OkStatus();
  return InvalidArgument("TensorArray dtype is {} but Op is trying to write dtype {}.",
                         DTypeName(array.dtype()), DTypeName(value.dtype()));
}

Status ScatterRows(KernelContext& c, const ArrayPtr& array, const std::vector<int64_t>& indices,
                   const Tensor& value) {
  RHEO_RETURN_IF_ERROR(CheckWriteDType(*array, value));
  if (value.rank() < 1) {
    return InvalidArgument(
        "Input value for unpack must be at least a vector but received shape: {}",
        value.shape().ToString());
  }
  if (value.dim(0) != static_cast<int64_t>(indices.size())) {
    return InvalidArgument("Expected len(indices) == values.shape[0], but saw: {} vs. {}",
                           indices.size(), value.dim(0));
  }
  RHEO_RETURN_IF_ERROR(array->WriteAll(c, indices, RowsOf(value)));
  c.set_output(0, Tensor::Scalar<float>(0));
  return OkStatus();
}

Status TensorArrayScatter(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const ArrayPtr array, FindArray(c));
  RHEO_ASSIGN_OR_RETURN(const std::vector<int64_t> indices, ReadIndices(c, 1));
  RHEO_ASSIGN_OR_RETURN(const int64_t size, array->size());
  const int64_t last = indices.empty() ? -1 : *std::ranges::max_element(indices);
  if (!array->grows() && last >= size) {
    return InvalidArgument("Max scatter index must be < array size ({} vs. {})", last, size);
  }
  return ScatterRows(c, array, indices, c.input(2));
}

Status TensorArrayUnpack(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const ArrayPtr array, FindArray(c));
  const Tensor& value = c.input(1);
  const int64_t rows = value.rank() > 0 ? value.dim(0) : 0;
  array->SetConcatSize(rows);
  return ScatterRows(c, array, FirstIndices(rows), value);
}

// ---- Concat

StatusOr<PartialShape> ElementShapeExcept0(const KernelInit& init) {
  return init.attrs.Get<PartialShape>("element_shape_except0");
}

Status TensorArrayConcat(const PartialShape& except0, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const ArrayPtr array, FindArray(c));
  RHEO_RETURN_IF_ERROR(CheckReadDType(c, *array));
  RHEO_ASSIGN_OR_RETURN(const int64_t size, array->concat_size());
  if (size == 0) {
    if (!except0.IsFullyDefined()) {
      return Unimplemented(
          "TensorArray has size zero, but element_shape_except0 {} is not fully defined. Currently "
          "only static shapes are supported when concatenating zero-size TensorArrays.",
          except0.ToString());
    }
    RHEO_RETURN_IF_ERROR(c.AllocateOutput(0, WithFirst(0, except0.ToShape())).status());
    return c.AllocateOutput(1, Shape{0}).status();
  }
  RHEO_ASSIGN_OR_RETURN(const std::vector<Tensor> values, array->ReadAll(c, FirstIndices(size)));
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].rank() == 0) {
      return InvalidArgument(
          "Concat saw a scalar shape at index {} but requires at least vectors.  Did you mean to "
          "call pack?",
          i);
    }
    if (WithoutFirst(values[i].shape()) == WithoutFirst(values[0].shape())) continue;
    return InvalidArgument(
        "TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: {} but "
        "index {} has (excepting dimension 0) shape: {}",
        WithoutFirst(values[0].shape()).ToString(), i, WithoutFirst(values[i].shape()).ToString());
  }
  return SetConcatenated(c, array->dtype(), WithoutFirst(values[0].shape()), values);
}

// ---- Split

Status TensorArraySplit(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const ArrayPtr array, FindArray(c));
  const Tensor& value = c.input(1);
  const Tensor& lengths = c.input(2);
  RHEO_RETURN_IF_ERROR(CheckWriteDType(*array, value));
  if (lengths.rank() != 1) {
    return InvalidArgument("Expected lengths to be a vector, received shape: {}",
                           lengths.shape().ToString());
  }
  if (value.rank() < 1) {
    return InvalidArgument("Expected value to be at least a vector, but received shape: {}",
                           value.shape().ToString());
  }
  StatusOr<std::vector<Tensor>> pieces = PiecesOf(value, lengths.flat<int64_t>());
  if (!pieces.ok()) {
    uint64_t sum = 0;
    for (const int64_t length : lengths.flat<int64_t>()) sum += static_cast<uint64_t>(length);
    return InvalidArgument(
        "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is {} and "
        "value's shape is: {}",
        static_cast<int64_t>(sum), value.shape().ToString());
  }
  RHEO_ASSIGN_OR_RETURN(const int64_t size, array->size());
  if (!array->grows() && size != lengths.num_elements()) {
    return InvalidArgument(
        "TensorArray's size is not equal to the size of lengths ({} vs. {}), and the TensorArray "
        "is "
        "not marked as dynamically resizeable",
        size, lengths.num_elements());
  }
  array->SetConcatSize(lengths.num_elements());
  RHEO_RETURN_IF_ERROR(
      array->WriteAll(c, FirstIndices(lengths.num_elements()), *std::move(pieces)));
  c.set_output(0, Tensor::Scalar<float>(0));
  return OkStatus();
}

}  // namespace

void AddTensorArrayBatchKernels(TableKernels& kernels) {
  for (const std::string version : {"", "V2", "V3"}) {
    kernels.Add("TensorArrayGather" + version, AttrKernel(&ElementShape, &TensorArrayGather));
    kernels.Add("TensorArrayScatter" + version, kernel::FunctionKernel(&TensorArrayScatter));
    kernels.Add("TensorArrayConcat" + version,
                AttrKernel(&ElementShapeExcept0, &TensorArrayConcat));
    kernels.Add("TensorArraySplit" + version, kernel::FunctionKernel(&TensorArraySplit));
  }
  kernels.Add("TensorArrayPack", AttrKernel(&ElementShape, &TensorArrayPack));
  kernels.Add("TensorArrayUnpack", kernel::FunctionKernel(&TensorArrayUnpack));
}

}  // namespace rheo::ops
