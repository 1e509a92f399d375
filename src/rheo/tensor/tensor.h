// Tensor: dtype, shape and a reference to a buffer, in row-major order.
#ifndef RHEO_TENSOR_TENSOR_H_
#define RHEO_TENSOR_TENSOR_H_

#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/tensor/allocator.h"
#include "rheo/tensor/buffer.h"
#include "rheo/tensor/dtype.h"
#include "rheo/tensor/resource_handle.h"
#include "rheo/tensor/shape.h"
#include "rheo/tensor/variant.h"

namespace rheo {

// A value: copying shares the buffer. A tensor that was fed, fetched or sent is never written
// again; whoever writes must hold the only reference (is_unique()) or the variable's lock.
// Reading from several threads is safe. A default-made tensor has dtype kInvalid and no elements.
class Tensor {
 public:
  Tensor() = default;

  // Memory of `allocator`, uninitialised for plain data, default-made elements for kString,
  // kResource and kVariant. RESOURCE_EXHAUSTED naming the shape when there is no memory,
  // INVALID_ARGUMENT for a reference or invalid dtype.
  static StatusOr<Tensor> Create(Allocator& allocator, DType dtype, Shape shape);
  // As Create on the host allocator; for sizes our own code chose: no memory ends the process.
  Tensor(DType dtype, Shape shape);
  // `buffer` holds at least the elements of `shape`; plain data only.
  Tensor(DType dtype, Shape shape, BufferRef buffer);

  // A rank-0 tensor.
  template <typename T>
  static Tensor Scalar(T value) {
    Tensor t(kDTypeOf<T>, Shape{});
    t.mutable_flat<T>()[0] = std::move(value);
    return t;
  }
  static Tensor Scalar(const char* text) { return Scalar<std::string>(text); }
  // `values` in row-major order. INVALID_ARGUMENT when their number does not fit `shape`.
  template <typename T>
  static StatusOr<Tensor> FromSpan(Shape shape, std::span<const std::type_identity_t<T>> values) {
    if (static_cast<int64_t>(values.size()) != shape.num_elements()) {
      return InvalidArgument("{} values do not fill the shape {}", values.size(), shape.ToString());
    }
    Tensor t(kDTypeOf<T>, std::move(shape));
    std::copy(values.begin(), values.end(), t.mutable_flat<T>().begin());
    return t;
  }
  // As FromSpan for literals that are known to fit.
  template <typename T>
  static Tensor Of(Shape shape, std::initializer_list<T> values) {
    return FromSpan<T>(std::move(shape), std::span<const T>(values.begin(), values.size())).value();
  }
  // A rank-1 tensor.
  template <typename T>
  static Tensor Vector(const std::vector<T>& values) {
    Tensor t(kDTypeOf<T>, Shape{static_cast<int64_t>(values.size())});
    std::copy(values.begin(), values.end(), t.mutable_flat<T>().begin());
    return t;
  }

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t dim(int i) const { return shape_.dim(i); }
  int64_t num_elements() const { return dtype_ == DType::kInvalid ? 0 : shape_.num_elements(); }
  // Of the elements; for strings without their text.
  size_t num_bytes() const { return static_cast<size_t>(num_elements()) * DTypeSize(dtype_); }
  bool has_value() const { return dtype_ != DType::kInvalid; }

  // The elements in row-major order; INVALID_ARGUMENT naming both types when T is not dtype().
  template <typename T>
  StatusOr<std::span<const T>> span() const {
    if (dtype_ != kDTypeOf<T>) return WrongType(kDTypeOf<T>);
    return flat<T>();
  }

  // As span() where the dtype is already known, in kernels: precondition dtype() is T's, or another
  // dtype with the same representation (kQint8 as int8_t).
  template <typename T>
  std::span<const T> flat() const {
    return {static_cast<const T*>(data()), static_cast<size_t>(num_elements())};
  }
  template <typename T>
  std::span<T> mutable_flat() {
    return {static_cast<T*>(mutable_data()), static_cast<size_t>(num_elements())};
  }
  // The first element; preconditions as flat(), num_elements() >= 1.
  template <typename T>
  const T& scalar() const {
    return *static_cast<const T*>(data());
  }

  const void* data() const { return data_; }
  void* mutable_data() { return data_; }
  // Plain data as bytes.
  std::span<const char> bytes() const { return {static_cast<const char*>(data_), num_bytes()}; }
  const BufferRef& buffer() const { return buffer_; }

  // True when no other tensor shares the buffer, so that it may be written in place.
  bool is_unique() const { return buffer_ && buffer_->HasOneRef(); }
  bool SharesBufferWith(const Tensor& other) const {
    return buffer_ && buffer_.get() == other.buffer_.get();
  }

  // The same elements under another shape; precondition: equal element counts.
  Tensor Reshaped(Shape shape) const;
  // The same bytes under another dtype of the same size.
  Tensor Bitcasted(DType dtype) const;
  // Rows [begin, end) of the first dimension, sharing the buffer. Precondition: rank >= 1. The
  // start is aligned to the element only.
  Tensor Rows(int64_t begin, int64_t end) const;
  // A copy with a buffer of its own on the host allocator.
  Tensor Clone() const;

  // "float[2,3] 1 2 3 …": at most `max_values` elements.
  std::string ToString(int max_values = 8) const;

 private:
  Status WrongType(DType asked) const;

  DType dtype_ = DType::kInvalid;
  Shape shape_;
  BufferRef buffer_;
  void* data_ = nullptr;
};

// Same dtype, shape and bytes; strings and resource handles by value, variants by identity.
bool operator==(const Tensor& a, const Tensor& b);

}  // namespace rheo

#endif  // RHEO_TENSOR_TENSOR_H_
