// Many elements of a TensorList at once: stack, gather, concat, and lists from the rows or pieces
// of a tensor.
#include <algorithm>
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

// What is known of the elements, from `shape` and from those that are set.
StatusOr<PartialShape> ShapeOfSet(PartialShape shape, const std::vector<Tensor>& elements) {
  for (const Tensor& t : elements) {
    if (!t.has_value()) continue;
    RHEO_ASSIGN_OR_RETURN(shape, shape.Merge(t.shape()));
  }
  return shape;
}

// ---- Tensors from lists

struct StackAttrs {
  DType dtype;
  int64_t num_elements;
};

StatusOr<StackAttrs> ReadStackAttrs(const KernelInit& init) {
  StackAttrs attrs{};
  RHEO_ASSIGN_OR_RETURN(attrs.dtype, init.attrs.Get<DType>("element_dtype"));
  attrs.num_elements = init.attrs.GetOr<int64_t>("num_elements", -1);
  return attrs;
}

Status StackElements(KernelContext& c, DType dtype, const PartialShape& shape,
                     const std::vector<Tensor>& elements) {
  if (elements.empty() && !shape.IsFullyDefined()) {
    return InvalidArgument(
        "Tried to stack elements of an empty list with non-fully-defined element_shape: {}",
        shape.ToString());
  }
  RHEO_ASSIGN_OR_RETURN(const PartialShape known, ShapeOfSet(shape, elements));
  if (!known.IsFullyDefined()) {
    return InvalidArgument(
        "Tried to stack list which only contains uninitialized tensors and has a non-fully-defined "
        "element_shape: {}",
        known.ToString());
  }
  RHEO_ASSIGN_OR_RETURN(Tensor all, StackRows(c, dtype, known.ToShape(), elements));
  c.set_output(0, std::move(all));
  return OkStatus();
}

Status TensorListStack(const StackAttrs& attrs, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const TensorList* list, ReadList(c, 0));
  RHEO_RETURN_IF_ERROR(CheckListDType(*list, attrs.dtype));
  RHEO_ASSIGN_OR_RETURN(const PartialShape shape, MergedElementShape(c, 1, *list));
  if (attrs.num_elements != -1 && attrs.num_elements != list->size()) {
    return InvalidArgument(
        "Operation expected a list with {} elements but got a list with {} elements.",
        attrs.num_elements, list->size());
  }
  return StackElements(c, attrs.dtype, shape, list->tensors);
}

Status TensorListGather(const StackAttrs& attrs, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const TensorList* list, ReadList(c, 0));
  RHEO_RETURN_IF_ERROR(CheckListDType(*list, attrs.dtype));
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, MergedElementShape(c, 2, *list));
  if (!shape.IsFullyDefined()) {
    RHEO_ASSIGN_OR_RETURN(shape, ShapeOfSet(std::move(shape), list->tensors));
  }
  std::vector<Tensor> elements;
  for (const int32_t index : c.input(1).flat<int32_t>()) {
    if (index < 0 || index >= list->size()) {
      return InvalidArgument("Index {} out o range; list only has {} elements.", index,
                             list->size());
    }
    elements.push_back(list->tensors[static_cast<size_t>(index)]);
  }
  return StackElements(c, attrs.dtype, shape, elements);
}

// Elements that were never set become zeros with as many rows as `leading_dims` or the element
// shape say, or as many as the first element has.
StatusOr<std::vector<Tensor>> ElementsToConcat(KernelContext& c, const TensorList& list,
                                               const PartialShape& shape,
                                               std::span<const int64_t> leading_dims) {
  std::vector<Tensor> elements;
  for (size_t i = 0; i < list.tensors.size(); ++i) {
    Tensor element = list.tensors[i];
    if (element.has_value() && element.rank() == 0) {
      return InvalidArgument("Concat saw a scalar shape at index {} but requires at least vectors.",
                             i);
    }
    if (!element.has_value()) {
      const int64_t rows = i < leading_dims.size() ? leading_dims[i] : shape.dim(0);
      if (rows < 0) {
        return InvalidArgument("element {} of the list was never set, and its size is not known",
                               i);
      }
      Shape zeros_shape{rows};
      for (const int64_t dim : shape.dims().subspan(1)) zeros_shape.AddDim(dim);
      RHEO_RETURN_IF_ERROR(Shape::Create(zeros_shape.dims()).status());
      RHEO_ASSIGN_OR_RETURN(element, c.AllocateTemp(list.element_dtype, std::move(zeros_shape)));
      FillWithZeros(element);
    }
    elements.push_back(std::move(element));
  }
  return elements;
}

// Merges `shape` with the shapes of the elements, but for their number of rows.
StatusOr<PartialShape> ShapeToConcat(PartialShape shape, const TensorList& list) {
  bool same_rows = true;
  int64_t rows = kUnknownDim;
  for (size_t i = 0; i < list.tensors.size(); ++i) {
    const Tensor& t = list.tensors[i];
    if (!t.has_value()) continue;
    if (t.rank() == 0) {
      return InvalidArgument("Concat saw a scalar shape at index {} but requires at least vectors.",
                             i);
    }
    same_rows &= rows == kUnknownDim || rows == t.dim(0);
    rows = t.dim(0);
    PartialShape row = t.shape();
    row.set_dim(0, shape.has_rank() && shape.rank() > 0 ? shape.dim(0) : kUnknownDim);
    RHEO_ASSIGN_OR_RETURN(shape, shape.Merge(row));
  }
  if (shape.has_rank() && shape.rank() > 0 && shape.dim(0) == kUnknownDim && same_rows) {
    shape.set_dim(0, rows);
  }
  return shape;
}

Status ConcatList(KernelContext& c, DType dtype, PartialShape shape,
                  std::span<const int64_t> leading_dims) {
  RHEO_ASSIGN_OR_RETURN(const TensorList* list, ReadList(c, 0));
  RHEO_RETURN_IF_ERROR(CheckListDType(*list, dtype));
  if (shape.has_rank() && shape.rank() < 1) {
    return InvalidArgument(
        "Concat requires elements to be at least vectors, found scalars instead.");
  }
  RHEO_ASSIGN_OR_RETURN(shape, shape.Merge(list->element_shape));
  RHEO_ASSIGN_OR_RETURN(shape, ShapeToConcat(std::move(shape), *list));
  const bool rows_known =
      shape.has_rank() && shape.rank() > 0 &&
      std::ranges::find(shape.dims().subspan(1), kUnknownDim) == shape.dims().end();
  if (!rows_known) {
    return InvalidArgument(
        "All except the first dimension must be fully defined when concating an empty tensor list. "
        "element_shape: {}",
        shape.ToString());
  }
  RHEO_ASSIGN_OR_RETURN(const std::vector<Tensor> elements,
                        ElementsToConcat(c, *list, shape, leading_dims));
  return SetConcatenated(c, dtype, Shape(shape.dims().subspan(1)), elements);
}

struct ConcatAttrs {
  DType dtype;
  PartialShape element_shape;
};

StatusOr<ConcatAttrs> ReadConcatAttrs(const KernelInit& init) {
  ConcatAttrs attrs{};
  RHEO_ASSIGN_OR_RETURN(attrs.dtype, init.attrs.Get<DType>("element_dtype"));
  RHEO_ASSIGN_OR_RETURN(attrs.element_shape, init.attrs.Get<PartialShape>("element_shape"));
  return attrs;
}

Status TensorListConcat(const ConcatAttrs& attrs, KernelContext& c) {
  return ConcatList(c, attrs.dtype, attrs.element_shape, {});
}

Status TensorListConcatV2(const DType& dtype, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, ReadElementShape(c, 1));
  return ConcatList(c, dtype, std::move(shape), c.input(2).flat<int64_t>());
}

// ---- Lists from tensors

Status CheckRowShape(const Tensor& tensor, const PartialShape& element_shape) {
  if (tensor.rank() < 1) {
    return InvalidArgument("Tensor must be at least a vector, but saw shape: {}",
                           tensor.shape().ToString());
  }
  const Shape row = WithoutFirst(tensor.shape());
  if (element_shape.IsCompatibleWith(row)) return OkStatus();
  return InvalidArgument("Specified a list with shape {} from a tensor with shape {}",
                         element_shape.ToString(), row.ToString());
}

Status TensorListFromTensor(KernelContext& c) {
  const Tensor& tensor = c.input(0);
  WritableList out = NewList();
  RHEO_ASSIGN_OR_RETURN(out.list->element_shape, ReadElementShape(c, 1));
  RHEO_RETURN_IF_ERROR(CheckRowShape(tensor, out.list->element_shape));
  out.list->element_dtype = tensor.dtype();
  out.list->tensors = RowsOf(tensor);
  c.set_output(0, std::move(out.tensor));
  return OkStatus();
}

Status TensorListSplit(KernelContext& c) {
  const Tensor& tensor = c.input(0);
  WritableList out = NewList();
  RHEO_ASSIGN_OR_RETURN(out.list->element_shape, ReadElementShape(c, 1));
  if (tensor.rank() < 1) {
    return InvalidArgument("Tensor must be at least a vector, but saw shape: {}",
                           tensor.shape().ToString());
  }
  if (out.list->element_shape.has_rank()) {
    PartialShape piece = tensor.shape();
    piece.set_dim(0, kUnknownDim);
    if (!out.list->element_shape.IsCompatibleWith(piece)) {
      return InvalidArgument("tensor shape {} is not compatible with element_shape {}",
                             piece.ToString(), out.list->element_shape.ToString());
    }
  }
  out.list->element_dtype = tensor.dtype();
  RHEO_ASSIGN_OR_RETURN(out.list->tensors, PiecesOf(tensor, c.input(2).flat<int64_t>()));
  c.set_output(0, std::move(out.tensor));
  return OkStatus();
}

// Row i of the tensor becomes element indices[i]; the list grows as far as needed, unless
// `fixed_size`.
Status ScatterRows(const Tensor& tensor, const Tensor& indices, TensorList& list,
                   bool fixed_size = false) {
  RHEO_RETURN_IF_ERROR(CheckRowShape(tensor, list.element_shape));
  if (indices.num_elements() != tensor.dim(0)) {
    return InvalidArgument("Invalid number of rows in input tensor. Expected: {} Actual: {}",
                           indices.num_elements(), tensor.dim(0));
  }
  const auto positions = indices.flat<int32_t>();
  for (const int32_t index : positions) {
    if (index < 0) {
      return InvalidArgument("Indices in TensorListScatter must all be non-negative.");
    }
    if (fixed_size && index >= list.size()) {
      return InvalidArgument(
          "TensorListScatter: Trying to scatter at index {} in list with size {}", index,
          list.size());
    }
  }
  const int64_t needed = positions.empty() ? 0 : int64_t{*std::ranges::max_element(positions)} + 1;
  RHEO_RETURN_IF_ERROR(CheckNumElements(needed));
  if (needed > list.size()) list.tensors.resize(static_cast<size_t>(needed));
  std::vector<Tensor> rows = RowsOf(tensor);
  for (size_t i = 0; i < rows.size(); ++i) {
    list.tensors[static_cast<size_t>(positions[i])] = std::move(rows[i]);
  }
  return OkStatus();
}

Status TensorListScatter(KernelContext& c) {
  WritableList out = NewList();
  RHEO_ASSIGN_OR_RETURN(out.list->element_shape, ReadElementShape(c, 2));
  out.list->element_dtype = c.input_type(0);
  int64_t size = -1;
  if (c.num_inputs() > 3) {
    if (c.input(3).num_elements() != 1) return InvalidArgument("num_elements must be a scalar");
    size = c.input(3).scalar<int32_t>();
    if (size < -1) {
      return InvalidArgument("TensorListScatter expects num_elements >= -1, found: {}", size);
    }
    RHEO_RETURN_IF_ERROR(CheckNumElements(size));
    if (size > 0) out.list->tensors.resize(static_cast<size_t>(size));
  }
  RHEO_RETURN_IF_ERROR(ScatterRows(c.input(0), c.input(1), *out.list, /*fixed_size=*/size >= 0));
  c.set_output(0, std::move(out.tensor));
  return OkStatus();
}

Status TensorListScatterIntoExistingList(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(WritableList out, TakeList(c, 0));
  RHEO_RETURN_IF_ERROR(CheckListDType(*out.list, c.input_type(1)));
  RHEO_RETURN_IF_ERROR(ScatterRows(c.input(1), c.input(2), *out.list));
  c.set_output(0, std::move(out.tensor));
  return OkStatus();
}

// The lists of a, each with the elements of b's list behind its own.
Status TensorListConcatLists(const DType& dtype, KernelContext& c) {
  const Tensor& a = c.input(0);
  const Tensor& b = c.input(1);
  if (!(a.shape() == b.shape())) {
    return InvalidArgument("input_a and input_b must have the same shape");
  }
  Tensor out(DType::kVariant, a.shape());
  for (size_t i = 0; i < static_cast<size_t>(a.num_elements()); ++i) {
    const auto* first = a.flat<Variant>()[i].As<TensorList>();
    const auto* second = b.flat<Variant>()[i].As<TensorList>();
    if (first == nullptr || second == nullptr) {
      return InvalidArgument("element {} is not a list", i);
    }
    RHEO_RETURN_IF_ERROR(CheckListDType(*first, dtype));
    RHEO_RETURN_IF_ERROR(CheckListDType(*second, dtype));
    RHEO_RETURN_IF_ERROR(CheckNumElements(first->size() + second->size()));
    auto list = std::make_shared<TensorList>();
    list->element_dtype = dtype;
    RHEO_ASSIGN_OR_RETURN(list->element_shape, first->element_shape.Merge(second->element_shape));
    list->tensors = first->tensors;
    list->tensors.insert(list->tensors.end(), second->tensors.begin(), second->tensors.end());
    out.mutable_flat<Variant>()[i] = Variant(std::move(list));
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

}  // namespace

void AddTensorListBatchKernels(TableKernels& kernels) {
  kernels.AddForCpu("TensorListStack", AttrKernel(&ReadStackAttrs, &TensorListStack));
  kernels.AddForCpu("TensorListGather", AttrKernel(&ReadStackAttrs, &TensorListGather));
  kernels.AddForCpu("TensorListConcat", AttrKernel(&ReadConcatAttrs, &TensorListConcat));
  kernels.AddForCpu("TensorListConcatV2", AttrKernel(&ElementDType, &TensorListConcatV2));
  kernels.AddForCpu("TensorListFromTensor", FunctionKernel(&TensorListFromTensor));
  kernels.AddForCpu("TensorListSplit", FunctionKernel(&TensorListSplit));
  kernels.AddForCpu("TensorListScatter", FunctionKernel(&TensorListScatter));
  kernels.AddForCpu("TensorListScatterV2", FunctionKernel(&TensorListScatter));
  kernels.AddForCpu("TensorListScatterIntoExistingList",
                    FunctionKernel(&TensorListScatterIntoExistingList));
  kernels.AddForCpu("TensorListConcatLists", AttrKernel(&ElementDType, &TensorListConcatLists));
}

}  // namespace rheo::ops
