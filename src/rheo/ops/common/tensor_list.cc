#include "rheo/ops/common/tensor_list.h"

#include <algorithm>
#include <utility>

#include "rheo/ops/common/arithmetic.h"
#include "rheo/ops/common/rows.h"
#include "rheo/ops/common/type_lists.h"

namespace rheo::ops {

using kernel::KernelContext;

bool TensorList::IsSole() const {
  // The count is raised first: that reads what the last other holder wrote before it let go.
  const std::shared_ptr<const TensorList> self = weak_from_this().lock();
  return self.use_count() == 2;
}

StatusOr<const TensorList*> ReadList(const KernelContext& context, int i) {
  const Tensor& tensor = context.input(i);
  if (tensor.rank() != 0) {
    return InvalidArgument("Input list must be a scalar saw: {}", tensor.shape().ToString());
  }
  const auto* list = tensor.scalar<Variant>().As<TensorList>();
  if (list != nullptr) return list;
  const Variant& variant = tensor.scalar<Variant>();
  return InvalidArgument("Input handle is not a list. Saw: '{}'",
                         variant.empty() ? "nothing" : variant.value()->type_name());
}

WritableList NewList() {
  auto list = std::make_shared<TensorList>();
  TensorList* const raw = list.get();
  return {Tensor::Scalar(Variant(std::move(list))), raw};
}

StatusOr<WritableList> TakeList(KernelContext& context, int i) {
  RHEO_ASSIGN_OR_RETURN(const TensorList* list, ReadList(context, i));
  Tensor tensor = context.TakeInput(i);
  // Made as a non-const object, always (NewList, TensorListFromParts).
  if (tensor.is_unique() && list->IsSole()) {
    return WritableList{std::move(tensor), const_cast<TensorList*>(list)};
  }
  WritableList copy = NewList();
  copy.list->element_dtype = list->element_dtype;
  copy.list->element_shape = list->element_shape;
  copy.list->max_num_elements = list->max_num_elements;
  copy.list->tensors = list->tensors;
  return copy;
}

// ---- Arithmetic

namespace {

StatusOr<Variant> AddLists(const KernelContext& context, const TensorList& a, const TensorList& b) {
  if (a.element_dtype != b.element_dtype) {
    return InvalidArgument(
        "Trying to add two lists of tensors of different dtypes. One is {} and the other is {}",
        DTypeName(a.element_dtype), DTypeName(b.element_dtype));
  }
  if (a.size() != b.size()) {
    return InvalidArgument(
        "Trying to add two lists of tensors with different lengths. One is {} and the other is {}",
        a.size(), b.size());
  }
  auto sum = std::make_shared<TensorList>();
  sum->element_dtype = a.element_dtype;
  RHEO_ASSIGN_OR_RETURN(sum->element_shape, a.element_shape.Merge(b.element_shape));
  for (size_t i = 0; i < a.tensors.size(); ++i) {
    const Tensor& x = a.tensors[i];
    const Tensor& y = b.tensors[i];
    if (!x.has_value() || !y.has_value()) {
      sum->tensors.push_back(x.has_value() ? x : y);
    } else {
      RHEO_ASSIGN_OR_RETURN(Tensor z, AddTensors(context, x, y));
      sum->tensors.push_back(std::move(z));
    }
  }
  return Variant(std::move(sum));
}

StatusOr<Variant> AddOptionals(const KernelContext& context, const Optional& a, const Optional& b) {
  if (a.values.has_value() != b.values.has_value()) {
    return InvalidArgument("Cannot add optionals because one has a value and the other doesn't.");
  }
  auto sum = std::make_shared<Optional>();
  if (!a.values.has_value()) return Variant(std::move(sum));
  if (a.values->size() != b.values->size()) {
    return InvalidArgument(
        "Cannot add optionals because they have different numbers of components ({} vs. {}).",
        a.values->size(), b.values->size());
  }
  sum->values.emplace();
  for (size_t i = 0; i < a.values->size(); ++i) {
    RHEO_ASSIGN_OR_RETURN(Tensor z, AddTensors(context, (*a.values)[i], (*b.values)[i]));
    sum->values->push_back(std::move(z));
  }
  return Variant(std::move(sum));
}

StatusOr<Variant> AddVariants(const KernelContext& context, const Variant& a, const Variant& b) {
  const auto* list = a.As<TensorList>();
  const auto* other_list = b.As<TensorList>();
  if (list != nullptr && other_list != nullptr) return AddLists(context, *list, *other_list);
  const auto* optional = a.As<Optional>();
  const auto* other_optional = b.As<Optional>();
  if (optional != nullptr && other_optional != nullptr) {
    return AddOptionals(context, *optional, *other_optional);
  }
  return Unimplemented("cannot add the variants {} and {}",
                       a.empty() ? "(empty)" : a.value()->type_name(),
                       b.empty() ? "(empty)" : b.value()->type_name());
}

StatusOr<Variant> ZerosLikeVariant(const KernelContext& context, const Variant& variant) {
  if (variant.empty()) return Variant();
  if (const auto* list = variant.As<TensorList>()) {
    auto zeros = std::make_shared<TensorList>();
    zeros->element_dtype = list->element_dtype;
    zeros->element_shape = list->element_shape;
    for (const Tensor& t : list->tensors) {
      zeros->tensors.emplace_back();
      if (!t.has_value()) continue;
      RHEO_ASSIGN_OR_RETURN(zeros->tensors.back(), ZerosLikeTensor(context, t));
    }
    return Variant(std::move(zeros));
  }
  if (const auto* optional = variant.As<Optional>()) {
    auto zeros = std::make_shared<Optional>();
    if (optional->values.has_value()) zeros->values.emplace();
    for (size_t i = 0; zeros->values.has_value() && i < optional->values->size(); ++i) {
      RHEO_ASSIGN_OR_RETURN(Tensor z, ZerosLikeTensor(context, (*optional->values)[i]));
      zeros->values->push_back(std::move(z));
    }
    return Variant(std::move(zeros));
  }
  return Unimplemented("a variant {} has no zero", variant.value()->type_name());
}

template <typename T>
void AddFlat(const Tensor& a, const Tensor& b, Tensor& sum) {
  const std::span<const T> x = a.flat<T>();
  const std::span<const T> y = b.flat<T>();
  const std::span<T> z = sum.mutable_flat<T>();
  for (size_t i = 0; i < z.size(); ++i) z[i] = static_cast<T>(WrapAdd(x[i], y[i]));
}

template <typename... Ts>
bool AddAnyOf(TypeList<Ts...>, const Tensor& a, const Tensor& b, Tensor& sum) {
  return ((a.dtype() == kDTypeOf<Ts> && (AddFlat<Ts>(a, b, sum), true)) || ...);
}

}  // namespace

StatusOr<Tensor> AddTensors(const KernelContext& context, const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) {
    return InvalidArgument("cannot add a tensor {}{} to one {}{}", DTypeName(b.dtype()),
                           b.shape().ToString(), DTypeName(a.dtype()), a.shape().ToString());
  }
  RHEO_ASSIGN_OR_RETURN(Tensor sum, context.AllocateTemp(a.dtype(), a.shape()));
  if (a.dtype() == DType::kVariant) {
    for (size_t i = 0; i < static_cast<size_t>(a.num_elements()); ++i) {
      RHEO_ASSIGN_OR_RETURN(sum.mutable_flat<Variant>()[i],
                            AddVariants(context, a.flat<Variant>()[i], b.flat<Variant>()[i]));
    }
    return sum;
  }
  if (!AddAnyOf(NumberTypes{}, a, b, sum)) {
    return Unimplemented("tensors of {} cannot be added", DTypeName(a.dtype()));
  }
  return sum;
}

StatusOr<Tensor> ZerosLikeTensor(const KernelContext& context, const Tensor& tensor) {
  RHEO_ASSIGN_OR_RETURN(Tensor zeros, context.AllocateTemp(tensor.dtype(), tensor.shape()));
  FillWithZeros(zeros);
  if (tensor.dtype() != DType::kVariant) return zeros;
  for (size_t i = 0; i < static_cast<size_t>(tensor.num_elements()); ++i) {
    RHEO_ASSIGN_OR_RETURN(zeros.mutable_flat<Variant>()[i],
                          ZerosLikeVariant(context, tensor.flat<Variant>()[i]));
  }
  return zeros;
}

}  // namespace rheo::ops
