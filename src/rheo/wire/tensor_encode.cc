#include "rheo/wire/tensor_codec.h"

namespace rheo::wire {
namespace {

constexpr int kDType = 1;
constexpr int kShape = 2;
constexpr int kContent = 4;

void AppendKey(int field, int wire_type, std::string& to) {
  to.push_back(static_cast<char>(field << 3 | wire_type));
}

// A Dim message with tag and length, whose size field stands even for 0 when `write_zero`.
void AppendDim(int64_t size, bool write_zero, std::string& to) {
  const bool written = size != 0 || write_zero;
  AppendKey(kShape, 2, to);
  AppendVarint(written ? 1 + VarintSize(static_cast<uint64_t>(size)) : 0, to);
  if (!written) return;
  AppendKey(1, 0, to);
  AppendVarint(static_cast<uint64_t>(size), to);
}

std::string_view TextOf(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.data()), tensor.num_bytes()};
}

template <typename T, typename Proto>
std::vector<std::string> SerializeAll(const Tensor& tensor, void (*to_proto)(const T&, Proto&)) {
  std::vector<std::string> all;
  for (const T& element : tensor.flat<T>()) {
    Proto proto;
    to_proto(element, proto);
    all.push_back(proto.SerializeAsString());
  }
  return all;
}

template <typename Strings>
size_t ListSize(const Strings& elements) {
  size_t n = 0;
  for (const std::string& e : elements) n += VarintSize(e.size()) + e.size();
  return n;
}

}  // namespace

TensorForm::TensorForm(const Tensor& tensor, TensorLayout layout) : tensor_(tensor) {
  const bool is_plain = IsPlainData(tensor.dtype());
  const bool as_recv = layout == TensorLayout::kRecvTensor && is_plain;
  if (!tensor.has_value()) return;
  AppendKey(kDType, 0, head_);
  AppendVarint(static_cast<uint64_t>(tensor.dtype()), head_);
  if (!as_recv || tensor.rank() > 0) {
    std::string dims;
    for (const int64_t size : tensor.shape().dims()) AppendDim(size, as_recv, dims);
    AppendKey(kShape, 2, head_);
    AppendVarint(dims.size(), head_);
    head_ += dims;
  }
  SerializeElements();
  if (is_plain) {
    content_size_ = tensor.num_bytes();
  } else if (tensor.dtype() == DType::kString) {
    content_size_ = ListSize(tensor.flat<std::string>());
  } else {
    content_size_ = ListSize(elements_);
  }
  if (content_size_ > 0 || as_recv) {
    AppendKey(kContent, 2, head_);
    AppendVarint(content_size_, head_);
  }
}

void TensorForm::SerializeElements() {
  if (tensor_.dtype() == DType::kResource) {
    elements_ = SerializeAll<ResourceHandle>(tensor_, HandleToProto);
  } else if (tensor_.dtype() == DType::kVariant) {
    elements_ = SerializeAll<Variant>(tensor_, VariantToProto);
  }
}

void TensorForm::AppendTo(MessageBuilder& builder) const {
  builder.Append(head_);
  if (content_size_ == 0) return;
  if (IsPlainData(tensor_.dtype())) {
    builder.AppendFrom(tensor_.buffer(), TextOf(tensor_));
    return;
  }
  // The list layout: all lengths, then all bytes.
  const bool is_text = tensor_.dtype() == DType::kString;
  const std::span<const std::string> elements =
      is_text ? tensor_.flat<std::string>() : std::span<const std::string>(elements_);
  std::string lengths;
  for (const std::string& e : elements) AppendVarint(e.size(), lengths);
  builder.Append(lengths);
  for (const std::string& e : elements) {
    if (is_text) {
      builder.AppendFrom(tensor_.buffer(), e);
    } else {
      builder.Append(e);
    }
  }
}

void TensorToProto(const Tensor& tensor, tensorflow::TensorProto& proto) {
  if (!tensor.has_value()) return;
  proto.set_dtype(static_cast<tensorflow::DataType>(tensor.dtype()));
  auto* const shape = proto.mutable_tensor_shape();
  for (const int64_t size : tensor.shape().dims()) shape->add_dim()->set_size(size);
  std::string& content = *proto.mutable_tensor_content();
  if (IsPlainData(tensor.dtype())) {
    content.assign(TextOf(tensor));
    return;
  }
  std::vector<std::string> serialized;
  if (tensor.dtype() == DType::kResource) {
    serialized = SerializeAll<ResourceHandle>(tensor, HandleToProto);
  } else if (tensor.dtype() == DType::kVariant) {
    serialized = SerializeAll<Variant>(tensor, VariantToProto);
  }
  const std::span<const std::string> elements = tensor.dtype() == DType::kString
                                                    ? tensor.flat<std::string>()
                                                    : std::span<const std::string>(serialized);
  content.reserve(ListSize(elements));
  for (const std::string& e : elements) AppendVarint(e.size(), content);
  for (const std::string& e : elements) content += e;
}

}  // namespace rheo::wire
