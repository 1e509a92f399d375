// Input: what a typed builder takes where an operation wants a tensor: an output, a tensor or
// literals.
#ifndef RHEO_BUILDER_INPUT_H_
#define RHEO_BUILDER_INPUT_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/builder/scope.h"
#include "rheo/tensor/tensor.h"

namespace rheo::builder {

// An Output, or a value that becomes a Const node of the operation it is given to.
//
// Numbers and lists of numbers are *literals*: they take the dtype that the operation wants in
// their place (that of another operand, of an attr, or the attr's default) if it represents them
// exactly enough, and keep their C++ type where nothing else decides. A Tensor keeps its dtype.
//
//   ops::Reshape(g, x, {-1, 64});   ops::Mul(g, x, 2);   ops::Add(g, x, tensor);
class Input {
 public:
  Input() = default;
  Input(Output output) : output_(std::move(output)) {}  // NOLINT(google-explicit-constructor)
  Input(Operation operation)                            // NOLINT(google-explicit-constructor)
      : output_(std::move(operation)) {}
  Input(Tensor value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  template <typename T>
  requires std::is_arithmetic_v<T> Input(T value)  // NOLINT(google-explicit-constructor)
      : value_(Tensor::Scalar(static_cast<Element<T>>(value))), is_literal_(true) {}
  Input(const char* text) : value_(Tensor::Scalar(text)) {}  // NOLINT(google-explicit-constructor)
  Input(std::string text)                                    // NOLINT(google-explicit-constructor)
      : value_(Tensor::Scalar<std::string>(std::move(text))) {}
  // A vector of literals.
  template <typename T>
  requires std::is_arithmetic_v<T> Input(
      std::initializer_list<T> values)  // NOLINT(google-explicit-constructor)
      : value_(VectorOf(std::span<const T>(values.begin(), values.size()))), is_literal_(true) {}

  const Output& output() const { return output_; }
  // Without a dtype when this is an output.
  const Tensor& value() const { return value_; }
  bool is_literal() const { return is_literal_; }
  bool has_value() const { return value_.has_value() || output_.has_value(); }
  // kInvalid when empty.
  DType dtype() const { return value_.has_value() ? value_.dtype() : output_.dtype(); }
  // "float[2,3]", for messages.
  std::string ToString() const;

 private:
  // `long` and `long long` are both int64 to us.
  template <typename T>
  struct ElementOf {
    using type = T;
  };
  template <typename T>
  requires(std::is_integral_v<T> && sizeof(T) == 8) struct ElementOf<T> {
    using type = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
  };
  template <typename T>
  using Element = typename ElementOf<T>::type;

  template <typename T>
  static Tensor VectorOf(std::span<const T> values) {
    Tensor t(kDTypeOf<Element<T>>, Shape{static_cast<int64_t>(values.size())});
    std::copy(values.begin(), values.end(), t.mutable_flat<Element<T>>().begin());
    return t;
  }

  Output output_;
  Tensor value_;
  bool is_literal_ = false;
};

// `literal` (float, double, bool or integers) as a tensor of `dtype`. INVALID_ARGUMENT naming the
// value when `dtype` is no number or cannot hold it: a fraction or a value out of range for an
// integer type. Rounding to a narrower floating type is accepted.
StatusOr<Tensor> ConvertLiteral(const Tensor& literal, DType dtype);

}  // namespace rheo::builder

#endif  // RHEO_BUILDER_INPUT_H_
