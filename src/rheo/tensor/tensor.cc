#include "rheo/tensor/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <new>

#include "rheo/base/log.h"

namespace rheo {
namespace {

// Elements that are C++ objects and need construction and destruction.
template <typename T>
class ObjectBuffer final : public Buffer {
 public:
  explicit ObjectBuffer(size_t count)
      : Buffer(count == 0 ? nullptr : new T[count], count * sizeof(T)) {}

 private:
  ~ObjectBuffer() override = default;
  void Destroy() const override {
    delete[] static_cast<T*>(data());
    delete this;
  }
};

template <typename T>
BufferRef MakeObjects(int64_t count) {
  return BufferRef(new ObjectBuffer<T>(static_cast<size_t>(count)));
}

// Objects are at most 128 bytes; more of them than this is surely a damaged size.
constexpr int64_t kMaxObjects = int64_t{1} << 32;

BufferRef MakeBuffer(Allocator& allocator, DType dtype, int64_t count) {
  if (!IsPlainData(dtype) && count > kMaxObjects) return BufferRef();
  switch (dtype) {
    case DType::kString:
      return MakeObjects<std::string>(count);
    case DType::kResource:
      return MakeObjects<ResourceHandle>(count);
    case DType::kVariant:
      return MakeObjects<Variant>(count);
    default: {
      size_t num_bytes;
      if (__builtin_mul_overflow(static_cast<size_t>(count), DTypeSize(dtype), &num_bytes)) {
        return BufferRef();
      }
      return AllocateBuffer(allocator, num_bytes);
    }
  }
}

Status NoMemory(const Allocator& allocator, DType dtype, const Shape& shape) {
  // Exact also for a damaged size, which may be more than there are addresses.
  const auto num_bytes = static_cast<unsigned __int128>(shape.num_elements()) * DTypeSize(dtype);
  const AllocatorStats stats = allocator.stats();
  const std::string limit =
      stats.bytes_limit == 0
          ? std::string()
          : fmt::format(", of whose {} bytes {} are in use", stats.bytes_limit, stats.bytes_in_use);
  return ResourceExhausted("no memory for a tensor of {}{} ({} bytes) in allocator '{}'{}",
                           DTypeName(dtype), shape.ToString(), num_bytes, allocator.name(), limit);
}

template <typename T>
bool EqualElements(const Tensor& a, const Tensor& b) {
  const auto x = a.flat<T>();
  const auto y = b.flat<T>();
  return std::equal(x.begin(), x.end(), y.begin(), y.end());
}

template <typename T>
Tensor CloneObjects(const Tensor& from) {
  Tensor copy(from.dtype(), from.shape());
  std::copy(from.flat<T>().begin(), from.flat<T>().end(), copy.mutable_flat<T>().begin());
  return copy;
}

template <typename T>
std::string ElementText(const Tensor& tensor, int64_t i) {
  return fmt::format("{}", tensor.flat<T>()[static_cast<size_t>(i)]);
}

std::string ElementText(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::kFloat:
      return ElementText<float>(tensor, i);
    case DType::kDouble:
      return ElementText<double>(tensor, i);
    case DType::kInt32:
    case DType::kQint32:
      return ElementText<int32_t>(tensor, i);
    case DType::kInt64:
      return ElementText<int64_t>(tensor, i);
    case DType::kInt16:
    case DType::kQint16:
      return ElementText<int16_t>(tensor, i);
    case DType::kUint16:
    case DType::kQuint16:
      return ElementText<uint16_t>(tensor, i);
    case DType::kUint32:
      return ElementText<uint32_t>(tensor, i);
    case DType::kUint64:
      return ElementText<uint64_t>(tensor, i);
    case DType::kBool:
      return ElementText<bool>(tensor, i);
    case DType::kHalf:
      return fmt::to_string(float{tensor.flat<Half>()[static_cast<size_t>(i)]});
    case DType::kBfloat16:
      return fmt::to_string(float{tensor.flat<Bfloat16>()[static_cast<size_t>(i)]});
    case DType::kComplex64: {
      const auto z = tensor.flat<std::complex<float>>()[static_cast<size_t>(i)];
      return fmt::format("{}{:+}i", z.real(), z.imag());
    }
    case DType::kComplex128: {
      const auto z = tensor.flat<std::complex<double>>()[static_cast<size_t>(i)];
      return fmt::format("{}{:+}i", z.real(), z.imag());
    }
    case DType::kString: {
      const std::string& text = tensor.flat<std::string>()[static_cast<size_t>(i)];
      return '"' + text.substr(0, 64) + (text.size() > 64 ? "…\"" : "\"");
    }
    case DType::kResource:
      return '<' + tensor.flat<ResourceHandle>()[static_cast<size_t>(i)].name + '>';
    case DType::kVariant: {
      const Variant& v = tensor.flat<Variant>()[static_cast<size_t>(i)];
      return v.empty() ? "<empty>" : '<' + std::string(v.value()->type_name()) + '>';
    }
    case DType::kInt8:
    case DType::kQint8:
    case DType::kInt4:
    case DType::kInt2:
      return fmt::to_string(static_cast<int>(tensor.flat<int8_t>()[static_cast<size_t>(i)]));
    default:
      return fmt::to_string(static_cast<int>(tensor.flat<uint8_t>()[static_cast<size_t>(i)]));
  }
}

}  // namespace

StatusOr<Tensor> Tensor::Create(Allocator& allocator, DType dtype, Shape shape) {
  if (!IsValidDType(dtype) || IsRef(dtype)) {
    return InvalidArgument("a tensor cannot have the dtype {}", DTypeName(dtype));
  }
  BufferRef buffer = MakeBuffer(allocator, dtype, shape.num_elements());
  if (!buffer) return NoMemory(allocator, dtype, shape);
  return Tensor(dtype, std::move(shape), std::move(buffer));
}

Tensor::Tensor(DType dtype, Shape shape) {
  StatusOr<Tensor> made = Create(HostAllocator(), dtype, std::move(shape));
  if (!made.ok()) {
    RHEO_LOG(Error, "{}", Message(made.status()));
    std::abort();
  }
  *this = *std::move(made);
}

Tensor::Tensor(DType dtype, Shape shape, BufferRef buffer)
    : dtype_(dtype), shape_(std::move(shape)), buffer_(std::move(buffer)), data_(buffer_->data()) {}

Tensor Tensor::Reshaped(Shape shape) const {
  Tensor result = *this;
  result.shape_ = std::move(shape);
  return result;
}

Tensor Tensor::Bitcasted(DType dtype) const {
  Tensor result = *this;
  result.dtype_ = dtype;
  return result;
}

Tensor Tensor::Rows(int64_t begin, int64_t end) const {
  Tensor result = *this;
  const int64_t row = shape_.dim(0) == 0 ? 0 : num_elements() / shape_.dim(0);
  result.shape_.set_dim(0, end - begin);
  if (data_ != nullptr) {
    result.data_ = static_cast<char*>(data_) + static_cast<size_t>(begin * row) * DTypeSize(dtype_);
  }
  return result;
}

Tensor Tensor::Clone() const {
  switch (dtype_) {
    case DType::kInvalid:
      return Tensor();
    case DType::kString:
      return CloneObjects<std::string>(*this);
    case DType::kResource:
      return CloneObjects<ResourceHandle>(*this);
    case DType::kVariant:
      return CloneObjects<Variant>(*this);
    default: {
      Tensor copy(dtype_, shape_);
      if (num_bytes() > 0) std::memcpy(copy.mutable_data(), data(), num_bytes());
      return copy;
    }
  }
}

std::string Tensor::ToString(int max_values) const {
  if (!has_value()) return "invalid";
  std::string text = DTypeName(dtype_) + shape_.ToString();
  const int64_t shown = std::min<int64_t>(num_elements(), max_values);
  for (int64_t i = 0; i < shown; ++i) text += ' ' + ElementText(*this, i);
  if (shown < num_elements()) text += " …";
  return text;
}

Status Tensor::WrongType(DType asked) const {
  return InvalidArgument("the tensor holds {}, not {}", DTypeName(dtype_), DTypeName(asked));
}

bool operator==(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  switch (a.dtype()) {
    case DType::kInvalid:
      return true;
    case DType::kString:
      return EqualElements<std::string>(a, b);
    case DType::kResource:
      return EqualElements<ResourceHandle>(a, b);
    case DType::kVariant:
      return std::equal(a.flat<Variant>().begin(), a.flat<Variant>().end(),
                        b.flat<Variant>().begin(), b.flat<Variant>().end(),
                        [](const Variant& x, const Variant& y) { return x.value() == y.value(); });
    default:
      return a.num_bytes() == 0 || std::memcmp(a.data(), b.data(), a.num_bytes()) == 0;
  }
}

}  // namespace rheo
