// TensorLists as ops: making them, single elements, length, shape. A list that nobody else holds is
// changed in place, so that a loop's pushes cost the same each.
#include <utility>

#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/rows.h"
#include "rheo/ops/common/tensor_list.h"
#include "rheo/ops/list/batches.h"
#include "rheo/ops/list/element_dtype.h"
#include "rheo/ops/list/kernels.h"
#include "rheo/ops/list/list_shapes.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;
using kernel::KernelInit;

StatusOr<int64_t> ReadListScalar(const KernelContext& c, int i, std::string_view what) {
  const Tensor& tensor = c.input(i);
  if (tensor.num_elements() != 1) {
    return InvalidArgument("{} must be a scalar, but has shape {}", what,
                           tensor.shape().ToString());
  }
  return tensor.scalar<int32_t>();
}

// ---- Making

Status EmptyTensorList(const DType& dtype, KernelContext& c) {
  WritableList out = NewList();
  RHEO_ASSIGN_OR_RETURN(out.list->max_num_elements, ReadListScalar(c, 1, "max_num_elements"));
  RHEO_ASSIGN_OR_RETURN(out.list->element_shape, ReadElementShape(c, 0));
  out.list->element_dtype = dtype;
  c.set_output(0, std::move(out.tensor));
  return OkStatus();
}

Status TensorListReserve(const DType& dtype, KernelContext& c) {
  WritableList out = NewList();
  RHEO_ASSIGN_OR_RETURN(out.list->element_shape, ReadElementShape(c, 0));
  RHEO_ASSIGN_OR_RETURN(const int64_t size, ReadListScalar(c, 1, "num_elements"));
  if (size < 0) {
    return InvalidArgument("The num_elements to reserve must be a non negative number, but got {}",
                           size);
  }
  RHEO_RETURN_IF_ERROR(CheckNumElements(size));
  out.list->element_dtype = dtype;
  out.list->tensors.resize(static_cast<size_t>(size));
  c.set_output(0, std::move(out.tensor));
  return OkStatus();
}

// ---- Asking

Status TensorListLength(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const TensorList* list, ReadList(c, 0));
  c.set_output(0, Tensor::Scalar<int32_t>(static_cast<int32_t>(list->size())));
  return OkStatus();
}

template <typename T>
Status TensorListElementShape(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const TensorList* list, ReadList(c, 0));
  const PartialShape& shape = list->element_shape;
  if (!shape.has_rank()) {
    c.set_output(0, Tensor::Scalar<T>(-1));
    return OkStatus();
  }
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, Shape{shape.rank()}));
  std::ranges::copy(shape.dims(), out->mutable_flat<T>().begin());
  return OkStatus();
}

// ---- Elements

Status CheckPush(const TensorList& list, const Tensor& value) {
  if (!list.element_shape.IsCompatibleWith(value.shape())) {
    return InvalidArgument(
        "Tried to append a tensor with incompatible shape to a list. Op element shape: {} list "
        "shape: {}",
        value.shape().ToString(), list.element_shape.ToString());
  }
  if (list.element_dtype != value.dtype()) {
    return InvalidArgument("Invalid data types; op elements {} but list elements {}",
                           DTypeName(value.dtype()), DTypeName(list.element_dtype));
  }
  if (list.max_num_elements >= 0 && list.size() >= list.max_num_elements) {
    return InvalidArgument("Tried to push item into a full list list size: {} max_num_elements: {}",
                           list.size(), list.max_num_elements);
  }
  return CheckNumElements(list.size() + 1);
}

Status TensorListPushBack(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(WritableList out, TakeList(c, 0));
  RHEO_RETURN_IF_ERROR(CheckPush(*out.list, c.input(1)));
  out.list->tensors.push_back(c.TakeInput(1));
  c.set_output(0, std::move(out.tensor));
  return OkStatus();
}

// One row of the tensor for each of the lists.
Status TensorListPushBackBatch(KernelContext& c) {
  const Tensor& lists = c.input(0);
  const Tensor& values = c.input(1);
  if (values.rank() < 1 || lists.rank() != 1 || lists.dim(0) != values.dim(0)) {
    return InvalidArgument("{} lists do not fit a batch of shape {}", lists.shape().ToString(),
                           values.shape().ToString());
  }
  const std::vector<Tensor> rows = RowsOf(values);
  Tensor out(DType::kVariant, lists.shape());
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto* list = lists.flat<Variant>()[i].As<TensorList>();
    if (list == nullptr) return InvalidArgument("Input handle {} is not a list.", i);
    RHEO_RETURN_IF_ERROR(CheckPush(*list, rows[i]));
    auto longer = std::make_shared<TensorList>();
    longer->element_dtype = list->element_dtype;
    longer->element_shape = list->element_shape;
    longer->max_num_elements = list->max_num_elements;
    longer->tensors = list->tensors;
    longer->tensors.push_back(rows[i]);
    out.mutable_flat<Variant>()[i] = Variant(std::move(longer));
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

// An element that was never set: zeros, where the shape is known.
StatusOr<Tensor> UnsetElement(KernelContext& c, const TensorList& list, PartialShape shape) {
  for (const Tensor& t : list.tensors) {
    if (shape.IsFullyDefined()) break;
    if (t.has_value()) {
      RHEO_ASSIGN_OR_RETURN(shape, shape.Merge(t.shape()));
    }
  }
  if (!shape.IsFullyDefined()) {
    return InvalidArgument(
        "Trying to read an uninitialized tensor but element_shape is not fully defined: {} and no "
        "list element is set.",
        shape.ToString());
  }
  RHEO_ASSIGN_OR_RETURN(Tensor zeros, c.AllocateTemp(list.element_dtype, shape.ToShape()));
  FillWithZeros(zeros);
  return zeros;
}

Status TensorListPopBack(const DType& dtype, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const TensorList* list, ReadList(c, 0));
  RHEO_RETURN_IF_ERROR(CheckListDType(*list, dtype));
  if (list->tensors.empty()) return InvalidArgument("Trying to pop from an empty list.");
  RHEO_ASSIGN_OR_RETURN(const PartialShape shape, MergedElementShape(c, 1, *list));
  RHEO_ASSIGN_OR_RETURN(WritableList out, TakeList(c, 0));
  Tensor last = std::move(out.list->tensors.back());
  out.list->tensors.pop_back();
  if (!last.has_value()) {
    RHEO_ASSIGN_OR_RETURN(last, UnsetElement(c, *out.list, shape));
  }
  c.set_output(0, std::move(out.tensor));
  c.set_output(1, std::move(last));
  return OkStatus();
}

Status TensorListGetItem(const DType& dtype, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const TensorList* list, ReadList(c, 0));
  RHEO_RETURN_IF_ERROR(CheckListDType(*list, dtype));
  RHEO_ASSIGN_OR_RETURN(const int64_t index, ReadListScalar(c, 1, "index"));
  if (index < 0 || index >= list->size()) {
    return InvalidArgument("Trying to access element {} in a list with {} elements.", index,
                           list->size());
  }
  Tensor item = list->tensors[static_cast<size_t>(index)];
  if (!item.has_value()) {
    RHEO_ASSIGN_OR_RETURN(PartialShape shape, MergedElementShape(c, 2, *list));
    RHEO_ASSIGN_OR_RETURN(item, UnsetElement(c, *list, std::move(shape)));
  }
  c.set_output(0, std::move(item));
  return OkStatus();
}

StatusOr<bool> ResizesOnSet(const KernelInit& init) {
  return init.attrs.Get<bool>("resize_if_index_out_of_bounds");
}

Status TensorListSetItem(const bool& resizes, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const TensorList* list, ReadList(c, 0));
  RHEO_RETURN_IF_ERROR(CheckListDType(*list, c.input_type(2)));
  RHEO_ASSIGN_OR_RETURN(const int64_t index, ReadListScalar(c, 1, "index"));
  if (index < 0 || (index >= list->size() && !resizes)) {
    return InvalidArgument("Trying to modify element {} in a list with {} elements.", index,
                           list->size());
  }
  if (!list->element_shape.IsCompatibleWith(c.input(2).shape())) {
    return InvalidArgument(
        "Tried to set a tensor with incompatible shape at a list index. Item element shape: {} "
        "list shape: {}",
        c.input(2).shape().ToString(), list->element_shape.ToString());
  }
  RHEO_RETURN_IF_ERROR(CheckNumElements(index + 1));
  RHEO_ASSIGN_OR_RETURN(WritableList out, TakeList(c, 0));
  if (index >= out.list->size()) out.list->tensors.resize(static_cast<size_t>(index) + 1);
  out.list->tensors[static_cast<size_t>(index)] = c.TakeInput(2);
  c.set_output(0, std::move(out.tensor));
  return OkStatus();
}

Status TensorListResize(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const int64_t size, ReadListScalar(c, 1, "size"));
  if (size < 0) {
    return InvalidArgument("TensorListSlice expects size to be non-negative. Got: {}", size);
  }
  RHEO_RETURN_IF_ERROR(CheckNumElements(size));
  RHEO_ASSIGN_OR_RETURN(WritableList out, TakeList(c, 0));
  out.list->tensors.resize(static_cast<size_t>(size));
  c.set_output(0, std::move(out.tensor));
  return OkStatus();
}

}  // namespace

void AddTensorListKernels(TableKernels& kernels) {
  kernels.Add("EmptyTensorList", AttrKernel(&ElementDType, &EmptyTensorList));
  kernels.Add("TensorListReserve", AttrKernel(&ElementDType, &TensorListReserve));
  kernels.Add("TensorListLength", FunctionKernel(&TensorListLength));
  kernels.Add("TensorListElementShape", ByType<IndexTypes>("shape_type", []<typename T>() {
                return FunctionKernel(&TensorListElementShape<T>);
              }));
  kernels.Add("TensorListPushBack", FunctionKernel(&TensorListPushBack));
  kernels.Add("TensorListPushBackBatch", FunctionKernel(&TensorListPushBackBatch));
  kernels.AddForCpu("TensorListPopBack", AttrKernel(&ElementDType, &TensorListPopBack));
  kernels.AddForCpu("TensorListGetItem", AttrKernel(&ElementDType, &TensorListGetItem));
  kernels.Add("TensorListSetItem", AttrKernel(&ResizesOnSet, &TensorListSetItem));
  kernels.Add("TensorListResize", FunctionKernel(&TensorListResize));
}

}  // namespace rheo::ops
