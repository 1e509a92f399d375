// Variant: the element of kVariant tensors; an immutable value of some registered class, or empty.
#ifndef RHEO_TENSOR_VARIANT_H_
#define RHEO_TENSOR_VARIANT_H_

#include <memory>
#include <string_view>
#include <utility>

namespace rheo {

class VariantValue {
 public:
  virtual ~VariantValue() = default;
  // The name under which TensorFlow writes it, e.g. "tensorflow::TensorList".
  virtual std::string_view type_name() const = 0;
};

class Variant {
 public:
  Variant() = default;
  explicit Variant(std::shared_ptr<const VariantValue> value) : value_(std::move(value)) {}

  bool empty() const { return value_ == nullptr; }
  const VariantValue* value() const { return value_.get(); }
  // The value as T, or nullptr when it is empty or of another class.
  template <typename T>
  const T* As() const {
    return dynamic_cast<const T*>(value_.get());
  }

 private:
  std::shared_ptr<const VariantValue> value_;
};

}  // namespace rheo

#endif  // RHEO_TENSOR_VARIANT_H_
