#include "rheo/tensor/dtype.h"

#include "rheo/tensor/resource_handle.h"
#include "rheo/tensor/variant.h"

namespace rheo {
namespace {

struct Row {
  std::string_view name;
  size_t size;
};

// Indexed by the number of the type.
constexpr Row kRows[] = {
    {"invalid", 0},
    {"float", 4},
    {"double", 8},
    {"int32", 4},
    {"uint8", 1},
    {"int16", 2},
    {"int8", 1},
    {"string", sizeof(std::string)},
    {"complex64", 8},
    {"int64", 8},
    {"bool", 1},
    {"qint8", 1},
    {"quint8", 1},
    {"qint32", 4},
    {"bfloat16", 2},
    {"qint16", 2},
    {"quint16", 2},
    {"uint16", 2},
    {"complex128", 16},
    {"half", 2},
    {"resource", sizeof(ResourceHandle)},
    {"variant", sizeof(Variant)},
    {"uint32", 4},
    {"uint64", 8},
    {"float8_e5m2", 1},
    {"float8_e4m3fn", 1},
    {"float8_e4m3fnuz", 1},
    {"float8_e4m3b11fnuz", 1},
    {"float8_e5m2fnuz", 1},
    {"int4", 1},
    {"uint4", 1},
    {"int2", 1},
    {"uint2", 1},
    {"float4_e2m1fn", 1},
};

const Row& RowOf(DType t) { return kRows[IsValidDType(t) ? static_cast<size_t>(RemoveRef(t)) : 0]; }

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string DTypeName(DType t) {
  std::string name(RowOf(t).name);
  return IsRef(t) && IsValidDType(t) ? name + "_ref" : name;
}

std::optional<DType> ParseDType(std::string_view name) {
  std::string lower;
  if (name.starts_with("DT_")) {
    for (const char c : name.substr(3)) lower += Lower(c);
    name = lower;
  }
  bool ref = false;
  if (name.ends_with("_ref")) {
    ref = true;
    name.remove_suffix(4);
  }
  for (size_t i = 1; i < std::size(kRows); ++i) {
    if (kRows[i].name == name) {
      const auto base = static_cast<DType>(i);
      return ref ? MakeRef(base) : base;
    }
  }
  return std::nullopt;
}

size_t DTypeSize(DType t) { return RowOf(t).size; }

}  // namespace rheo
