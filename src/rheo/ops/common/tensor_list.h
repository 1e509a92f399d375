// TensorList and Optional: the variants that control flow keeps its values in.
#ifndef RHEO_OPS_COMMON_TENSOR_LIST_H_
#define RHEO_OPS_COMMON_TENSOR_LIST_H_

#include <memory>
#include <optional>
#include <vector>

#include "rheo/kernel/kernel_context.h"
#include "rheo/tensor/tensor.h"
#include "rheo/tensor/variant_parts.h"

namespace rheo::ops {

// A list of tensors of one dtype. Shared by all tensors that hold it and then never changed;
// WritableList gives one that may be.
class TensorList final : public PortableVariant, public std::enable_shared_from_this<TensorList> {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::TensorList";

  DType element_dtype = DType::kInvalid;
  PartialShape element_shape;
  int64_t max_num_elements = -1;  // -1: no limit
  std::vector<Tensor> tensors;    // without a value where none was set

  int64_t size() const { return static_cast<int64_t>(tensors.size()); }

  std::string_view type_name() const override { return kTypeName; }
  VariantParts ToParts() const override;
  // True when nobody else holds this value.
  bool IsSole() const;
};

// The list that ToParts took apart. INVALID_ARGUMENT when the parts make no sense.
StatusOr<Variant> TensorListFromParts(VariantParts parts);

// Tensors, or none.
class Optional final : public PortableVariant {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::data::Optional";

  std::optional<std::vector<Tensor>> values;

  std::string_view type_name() const override { return kTypeName; }
  VariantParts ToParts() const override;
};
StatusOr<Variant> OptionalFromParts(VariantParts parts);

// The list in input `i`, a scalar. INVALID_ARGUMENT when it is something else.
StatusOr<const TensorList*> ReadList(const kernel::KernelContext& context, int i);

// A list that nobody else sees, in a tensor that will hold it.
struct WritableList {
  Tensor tensor;
  TensorList* list = nullptr;  // within `tensor`
};
WritableList NewList();
// The list of input `i` itself when nobody else holds it, else a copy. Takes the input.
StatusOr<WritableList> TakeList(kernel::KernelContext& context, int i);

// a + b, element by element: numbers, and variants by their parts. INVALID_ARGUMENT when dtypes or
// shapes differ, UNIMPLEMENTED for what cannot be added.
StatusOr<Tensor> AddTensors(const kernel::KernelContext& context, const Tensor& a, const Tensor& b);

// Zeros in the form of `tensor`: of variants, the same lists with zeros.
StatusOr<Tensor> ZerosLikeTensor(const kernel::KernelContext& context, const Tensor& tensor);

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_TENSOR_LIST_H_
