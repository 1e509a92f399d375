#include "rheo/op/attr_text.h"

#include <vector>

namespace rheo::op {
namespace {

std::optional<DType> TakeDType(Cursor& cursor) { return ParseDType(cursor.TakeWord()); }

std::optional<bool> TakeBool(Cursor& cursor) {
  if (cursor.Take("true")) return true;
  if (cursor.Take("false")) return false;
  return std::nullopt;
}

std::optional<PartialShape> TakeShape(Cursor& cursor) {
  if (cursor.Take("?")) return PartialShape();
  if (!cursor.Take("[")) return std::nullopt;
  PartialShape shape = PartialShape::OfRank(0);
  if (cursor.Take("]")) return shape;
  do {
    int64_t dim = kUnknownDim;
    if (!cursor.Take("?") && (!cursor.TakeNumber(dim) || dim < 0)) return std::nullopt;
    shape.AddDim(dim);
  } while (cursor.Take(","));
  if (!cursor.Take("]")) return std::nullopt;
  return shape;
}

template <typename T>
bool TakeElement(Cursor& cursor, T& element) {
  if constexpr (std::is_same_v<T, std::string>) {
    return cursor.TakeQuoted(element);
  } else if constexpr (std::is_same_v<T, bool>) {
    const std::optional<bool> value = TakeBool(cursor);
    element = value.value_or(false);
    return value.has_value();
  } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>) {
    float value = 0;
    if (!cursor.TakeNumber(value)) return false;
    element = value;
    return true;
  } else {
    return cursor.TakeNumber(element);
  }
}

template <typename T>
bool TakeElements(Cursor& cursor, Tensor& tensor) {
  bool first = true;
  for (T& element : tensor.mutable_flat<T>()) {
    if (!first && !cursor.Take(",")) return false;
    first = false;
    if (!TakeElement(cursor, element)) return false;
  }
  return true;
}

bool TakeElements(Cursor& cursor, Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kFloat:
      return TakeElements<float>(cursor, tensor);
    case DType::kDouble:
      return TakeElements<double>(cursor, tensor);
    case DType::kHalf:
      return TakeElements<Half>(cursor, tensor);
    case DType::kBfloat16:
      return TakeElements<Bfloat16>(cursor, tensor);
    case DType::kInt8:
      return TakeElements<int8_t>(cursor, tensor);
    case DType::kInt16:
      return TakeElements<int16_t>(cursor, tensor);
    case DType::kInt32:
      return TakeElements<int32_t>(cursor, tensor);
    case DType::kInt64:
      return TakeElements<int64_t>(cursor, tensor);
    case DType::kUint8:
      return TakeElements<uint8_t>(cursor, tensor);
    case DType::kUint16:
      return TakeElements<uint16_t>(cursor, tensor);
    case DType::kUint32:
      return TakeElements<uint32_t>(cursor, tensor);
    case DType::kUint64:
      return TakeElements<uint64_t>(cursor, tensor);
    case DType::kBool:
      return TakeElements<bool>(cursor, tensor);
    case DType::kString:
      return TakeElements<std::string>(cursor, tensor);
    default:
      return false;
  }
}

std::optional<Tensor> TakeTensor(Cursor& cursor) {
  // A default is small; a table that asks for more is malformed.
  constexpr int64_t kMaxElements = 4096;
  const std::optional<DType> dtype = TakeDType(cursor);
  if (!dtype) return std::nullopt;
  const std::optional<PartialShape> shape = TakeShape(cursor);
  if (!shape || !shape->IsFullyDefined() || !cursor.Take("{")) return std::nullopt;
  const int64_t num_elements = CheckedProduct(shape->dims());
  if (num_elements < 0 || num_elements > kMaxElements) return std::nullopt;
  Tensor tensor(*dtype, shape->ToShape());
  if (!TakeElements(cursor, tensor) || !cursor.Take("}")) return std::nullopt;
  return tensor;
}

std::optional<FuncRef> TakeFunc(Cursor& cursor) {
  if (!cursor.Take("@")) return std::nullopt;
  return FuncRef{.name = std::string(cursor.TakeWord()), .attrs = {}};
}

template <typename T>
std::optional<T> TakeNumber(Cursor& cursor) {
  T value{};
  if (!cursor.TakeNumber(value)) return std::nullopt;
  return value;
}

std::optional<std::string> TakeString(Cursor& cursor) {
  std::string value;
  if (!cursor.TakeQuoted(value)) return std::nullopt;
  return value;
}

// Calls `use` with the function that reads values of `kind`.
template <typename Use>
auto WithReader(AttrKind kind, Use use) {
  switch (kind) {
    case AttrKind::kString:
      return use(TakeString);
    case AttrKind::kInt:
      return use(TakeNumber<int64_t>);
    case AttrKind::kFloat:
      return use(TakeNumber<float>);
    case AttrKind::kBool:
      return use(TakeBool);
    case AttrKind::kType:
      return use(TakeDType);
    case AttrKind::kShape:
      return use(TakeShape);
    case AttrKind::kTensor:
      return use(TakeTensor);
    case AttrKind::kFunc:
      break;
  }
  return use(TakeFunc);
}

}  // namespace

std::optional<AttrValue> TakeAttrValue(Cursor& cursor, AttrKind kind) {
  return WithReader(kind, [&](auto read) -> std::optional<AttrValue> {
    auto value = read(cursor);
    if (!value) return std::nullopt;
    return AttrValue(*std::move(value));
  });
}

std::optional<AttrValue> TakeAttrList(Cursor& cursor, AttrKind kind) {
  if (!cursor.Take("[")) return std::nullopt;
  if (cursor.Take("]")) return AttrValue(AttrList{});
  return WithReader(kind, [&](auto read) -> std::optional<AttrValue> {
    std::vector<typename decltype(read(cursor))::value_type> values;
    do {
      auto value = read(cursor);
      if (!value) return std::nullopt;
      values.push_back(*std::move(value));
    } while (cursor.Take(","));
    if (!cursor.Take("]")) return std::nullopt;
    return AttrValue(std::move(values));
  });
}

}  // namespace rheo::op
