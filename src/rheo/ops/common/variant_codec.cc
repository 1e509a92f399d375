// The wire form of TensorList and Optional, byte for byte as TensorFlow writes them: varints, and
// the element shape as a TensorShapeProto.
#include <cstdint>
#include <utility>

#include "rheo/ops/common/tensor_list.h"

namespace rheo::ops {
namespace {

// More elements than this come from nobody in good faith; each costs memory.
constexpr uint64_t kMaxElements = uint64_t{1} << 24;

void PutVarint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

// Takes a varint off the front; false when there is none.
bool TakeVarint(std::string_view& in, uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !in.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(in.front());
    in.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

// Fields of TensorShapeProto: dim = 2 {size = 1}, unknown_rank = 3.
constexpr char kDimTag = 0x12;
constexpr char kSizeTag = 0x08;
constexpr char kNameTag = 0x12;
constexpr char kUnknownRankTag = 0x18;

void PutShape(std::string& out, const PartialShape& shape) {
  if (!shape.has_rank()) {
    out.append({kUnknownRankTag, 1});
    return;
  }
  for (const int64_t size : shape.dims()) {
    std::string dim;
    if (size != 0) {
      dim.push_back(kSizeTag);
      PutVarint(dim, static_cast<uint64_t>(size));
    }
    out.push_back(kDimTag);
    PutVarint(out, dim.size());
    out += dim;
  }
}

bool TakeTag(std::string_view& in, char tag) {
  if (in.empty() || in.front() != tag) return false;
  in.remove_prefix(1);
  return true;
}

bool TakeDim(std::string_view& in, int64_t& size) {
  uint64_t length = 0;
  if (!TakeVarint(in, length) || length > in.size()) return false;
  std::string_view dim = in.substr(0, length);
  in.remove_prefix(length);
  size = 0;
  while (!dim.empty()) {
    uint64_t value = 0;
    if (TakeTag(dim, kSizeTag)) {
      if (!TakeVarint(dim, value)) return false;
      size = static_cast<int64_t>(value);
    } else if (TakeTag(dim, kNameTag)) {
      if (!TakeVarint(dim, value) || value > dim.size()) return false;
      dim.remove_prefix(value);
    } else {
      return false;
    }
  }
  return size >= kUnknownDim;
}

bool TakeShape(std::string_view in, PartialShape& shape) {
  shape = PartialShape::OfRank(0);
  while (!in.empty()) {
    uint64_t unknown = 0;
    int64_t size = 0;
    if (TakeTag(in, kUnknownRankTag) && TakeVarint(in, unknown)) {
      if (unknown != 0) shape = PartialShape();
      continue;
    }
    if (!TakeTag(in, kDimTag) || !TakeDim(in, size) || shape.rank() >= kMaxRank) return false;
    shape.AddDim(size);
  }
  return true;
}

Status Malformed(std::string_view type) {
  return InvalidArgument("a variant of type {} makes no sense", type);
}

}  // namespace

VariantParts TensorList::ToParts() const {
  VariantParts parts;
  std::vector<uint64_t> unset;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].has_value()) {
      parts.tensors.push_back(tensors[i]);
    } else {
      unset.push_back(i);
    }
  }
  PutVarint(parts.metadata, unset.size());
  for (const uint64_t i : unset) PutVarint(parts.metadata, i);
  PutVarint(parts.metadata, static_cast<uint64_t>(element_dtype));
  PutVarint(parts.metadata, static_cast<uint64_t>(max_num_elements));
  PutShape(parts.metadata, element_shape);
  return parts;
}

StatusOr<Variant> TensorListFromParts(VariantParts parts) {
  auto list = std::make_shared<TensorList>();
  std::string_view in = parts.metadata;
  uint64_t num_unset = 0;
  if (!TakeVarint(in, num_unset) || num_unset > kMaxElements) {
    return Malformed(TensorList::kTypeName);
  }
  const uint64_t size = num_unset + parts.tensors.size();
  list->tensors.resize(size);
  std::vector<bool> is_unset(size, false);
  for (uint64_t i = 0; i < num_unset; ++i) {
    uint64_t index = 0;
    if (!TakeVarint(in, index) || index >= size || is_unset[index]) {
      return Malformed(TensorList::kTypeName);
    }
    is_unset[index] = true;
  }
  uint64_t dtype = 0;
  uint64_t max = 0;
  if (!TakeVarint(in, dtype) || !TakeVarint(in, max) || !TakeShape(in, list->element_shape)) {
    return Malformed(TensorList::kTypeName);
  }
  list->element_dtype = static_cast<DType>(dtype);
  if (dtype > UINT8_MAX || !IsValidDType(list->element_dtype)) {
    return Malformed(TensorList::kTypeName);
  }
  list->max_num_elements = static_cast<int64_t>(max);
  size_t next = 0;
  for (uint64_t i = 0; i < size; ++i) {
    if (is_unset[i]) continue;
    Tensor& tensor = parts.tensors[next++];
    if (tensor.dtype() != list->element_dtype) return Malformed(TensorList::kTypeName);
    list->tensors[i] = std::move(tensor);
  }
  return Variant(std::move(list));
}

VariantParts Optional::ToParts() const {
  VariantParts parts;
  parts.metadata.push_back(values.has_value() ? 1 : 0);
  if (values.has_value()) parts.tensors = *values;
  return parts;
}

StatusOr<Variant> OptionalFromParts(VariantParts parts) {
  auto optional = std::make_shared<Optional>();
  if (parts.metadata.size() != 1) return Malformed(Optional::kTypeName);
  if (parts.metadata[0] != 0) optional->values = std::move(parts.tensors);
  return Variant(std::move(optional));
}

}  // namespace rheo::ops
