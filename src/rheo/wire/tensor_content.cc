#include "rheo/wire/tensor_content.h"

#include <vector>

#include "rheo/wire/tensor_codec.h"

namespace rheo::wire {
namespace {

using google::protobuf::io::CodedInputStream;

// A byte other than 0 and 1 is no bool in C++: reading one would be undefined.
void NormalizeBools(Tensor& tensor) {
  for (uint8_t& b : tensor.mutable_flat<uint8_t>()) b = b != 0;
}

bool ReadPlain(CodedInputStream& in, int num_bytes, DType dtype, Shape shape, Tensor& tensor,
               Status& error) {
  size_t expected = 0;
  if (__builtin_mul_overflow(static_cast<size_t>(shape.num_elements()), DTypeSize(dtype),
                             &expected) ||
      expected != static_cast<size_t>(num_bytes)) {
    error = InvalidArgument("{} bytes of content for a tensor of {}{}", num_bytes, DTypeName(dtype),
                            shape.ToString());
    return in.Skip(num_bytes);
  }
  StatusOr<Tensor> made = Tensor::Create(HostAllocator(), dtype, std::move(shape));
  if (!made.ok()) {
    error = made.status();
    return in.Skip(num_bytes);
  }
  tensor = *std::move(made);
  if (num_bytes > 0 && !in.ReadRaw(tensor.mutable_data(), num_bytes)) return false;
  if (dtype == DType::kBool) NormalizeBools(tensor);
  return true;
}

// The varint lengths at the head of the list layout; they must add up to the bytes that follow.
Status ReadLengths(CodedInputStream& in, size_t count, std::vector<uint32_t>& lengths) {
  lengths.reserve(count);
  uint64_t total = 0;
  for (size_t i = 0; i < count; ++i) {
    uint32_t length;
    if (!in.ReadVarint32(&length)) return InvalidArgument("content ends before its last length");
    lengths.push_back(length);
    total += length;
  }
  const int left = in.BytesUntilLimit();
  if (total != static_cast<uint64_t>(left)) {
    return InvalidArgument("{} elements of {} bytes together in {} bytes of content", count, total,
                           left);
  }
  return OkStatus();
}

template <typename Proto>
bool ReadElement(CodedInputStream& in, uint32_t length, Proto& proto) {
  std::string bytes;
  return in.ReadString(&bytes, static_cast<int>(length)) && proto.ParseFromString(bytes);
}

Status ReadStrings(CodedInputStream& in, std::span<const uint32_t> lengths, Tensor& tensor) {
  const auto elements = tensor.mutable_flat<std::string>();
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (!in.ReadString(&elements[i], static_cast<int>(lengths[i]))) {
      return InvalidArgument("content ends inside element {}", i);
    }
  }
  return OkStatus();
}

Status ReadHandles(CodedInputStream& in, std::span<const uint32_t> lengths, Tensor& tensor) {
  const auto elements = tensor.mutable_flat<ResourceHandle>();
  for (size_t i = 0; i < lengths.size(); ++i) {
    tensorflow::ResourceHandleProto proto;
    if (!ReadElement(in, lengths[i], proto)) {
      return InvalidArgument("element {} is no resource handle", i);
    }
    RHEO_ASSIGN_OR_RETURN(elements[i], HandleFromProto(proto));
  }
  return OkStatus();
}

Status ReadVariants(CodedInputStream& in, std::span<const uint32_t> lengths, DecodeContext& context,
                    Tensor& tensor) {
  const auto elements = tensor.mutable_flat<Variant>();
  for (size_t i = 0; i < lengths.size(); ++i) {
    tensorflow::VariantTensorDataProto proto;
    if (!ReadElement(in, lengths[i], proto)) return InvalidArgument("element {} is no variant", i);
    RHEO_ASSIGN_OR_RETURN(elements[i], VariantFromProto(proto, context));
  }
  return OkStatus();
}

Status ReadList(CodedInputStream& in, int num_bytes, DType dtype, Shape shape,
                DecodeContext& context, Tensor& tensor) {
  const int64_t count = shape.num_elements();
  if (count > num_bytes) {  // each element has a length of at least one byte
    return InvalidArgument("{} bytes of content for a tensor of {}{}", num_bytes, DTypeName(dtype),
                           shape.ToString());
  }
  std::vector<uint32_t> lengths;
  RHEO_RETURN_IF_ERROR(ReadLengths(in, static_cast<size_t>(count), lengths));
  RHEO_ASSIGN_OR_RETURN(tensor, Tensor::Create(HostAllocator(), dtype, std::move(shape)));
  switch (dtype) {
    case DType::kString:
      return ReadStrings(in, lengths, tensor);
    case DType::kResource:
      return ReadHandles(in, lengths, tensor);
    default:
      return ReadVariants(in, lengths, context, tensor);
  }
}

}  // namespace

bool ReadContent(CodedInputStream& in, int num_bytes, DType dtype, Shape shape,
                 DecodeContext& context, Tensor& tensor, Status& error) {
  if (!IsValidDType(dtype) || IsRef(dtype)) {
    error = InvalidArgument("a tensor cannot have the dtype {}", DTypeName(dtype));
    return in.Skip(num_bytes);
  }
  if (IsPlainData(dtype)) return ReadPlain(in, num_bytes, dtype, std::move(shape), tensor, error);
  const auto limit = in.PushLimit(num_bytes);
  error = ReadList(in, num_bytes, dtype, std::move(shape), context, tensor);
  const bool complete = in.Skip(in.BytesUntilLimit());
  in.PopLimit(limit);
  return complete;
}

}  // namespace rheo::wire
