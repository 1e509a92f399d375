#include "rheo/op/op_schema.h"

#include <algorithm>

namespace rheo::op {
namespace {

template <typename T>
StatusOr<T> TypeAttr(const AttrMap& attrs, std::string_view name, std::string_view kind) {
  const AttrValue* value = attrs.Find(name);
  if (value == nullptr) return NotFound("No attr named '{}' in NodeDef", name);
  StatusOr<T> result = attrs.Get<T>(name);
  if (result.ok()) return result;
  return InvalidArgument("AttrValue {} is not of kind '{}' for attr '{}'", value->ToString(), kind,
                         name);
}

StatusOr<int64_t> CountOf(const ArgSpec& arg, const AttrMap& attrs) {
  // No node has more arguments than this; a larger number is an attack or a mistake.
  constexpr int64_t kMaxCount = int64_t{1} << 24;
  if (arg.number_attr.empty()) return int64_t{1};
  RHEO_ASSIGN_OR_RETURN(const int64_t count, TypeAttr<int64_t>(attrs, arg.number_attr, "int"));
  if (count < 0 || count > kMaxCount) {
    return InvalidArgument("Value for number_attr '{}' is {}, which is {}", arg.number_attr, count,
                           count < 0 ? "negative" : "too large");
  }
  return count;
}

StatusOr<DType> TypeOf(const ArgSpec& arg, const AttrMap& attrs) {
  if (arg.type_attr.empty()) return arg.type;
  return TypeAttr<DType>(attrs, arg.type_attr, "type");
}

Status CheckType(DType dtype, const ArgSpec& arg) {
  if (IsValidDType(dtype)) return OkStatus();
  return InvalidArgument("Invalid data type {} for argument '{}'", static_cast<int>(dtype),
                         arg.name);
}

Status AppendTypes(const ArgSpec& arg, const AttrMap& attrs, DTypeVector& types) {
  const size_t begin = types.size();
  if (!arg.type_list_attr.empty()) {
    RHEO_ASSIGN_OR_RETURN(const std::vector<DType> list,
                          TypeAttr<std::vector<DType>>(attrs, arg.type_list_attr, "list(type)"));
    types.insert(types.end(), list.begin(), list.end());
  } else {
    RHEO_ASSIGN_OR_RETURN(const int64_t count, CountOf(arg, attrs));
    RHEO_ASSIGN_OR_RETURN(const DType dtype, TypeOf(arg, attrs));
    types.insert(types.end(), static_cast<size_t>(count), dtype);
  }
  for (size_t i = begin; i < types.size(); ++i) {
    RHEO_RETURN_IF_ERROR(CheckType(types[i], arg));
    if (arg.is_ref) types[i] = MakeRef(types[i]);
  }
  return OkStatus();
}

}  // namespace

const AttrSpec* OpSchema::FindAttr(std::string_view attr_name) const {
  for (const AttrSpec& attr : attrs) {
    if (attr.name == attr_name) return &attr;
  }
  return nullptr;
}

StatusOr<NodeTypes> ResolveTypes(const OpSchema& schema, const AttrMap& attrs) {
  NodeTypes types;
  types.inputs.reserve(schema.inputs.size());
  types.outputs.reserve(schema.outputs.size());
  for (const ArgSpec& arg : schema.inputs) {
    RHEO_RETURN_IF_ERROR(AppendTypes(arg, attrs, types.inputs));
  }
  for (const ArgSpec& arg : schema.outputs) {
    RHEO_RETURN_IF_ERROR(AppendTypes(arg, attrs, types.outputs));
  }
  return types;
}

StatusOr<std::vector<ArgRange>> ResolveRanges(const std::vector<ArgSpec>& args,
                                              const AttrMap& attrs) {
  std::vector<ArgRange> ranges;
  ranges.reserve(args.size());
  int begin = 0;
  for (const ArgSpec& arg : args) {
    int64_t count = 0;
    if (arg.type_list_attr.empty()) {
      RHEO_ASSIGN_OR_RETURN(count, CountOf(arg, attrs));
    } else {
      RHEO_ASSIGN_OR_RETURN(const std::vector<DType> list,
                            TypeAttr<std::vector<DType>>(attrs, arg.type_list_attr, "list(type)"));
      count = static_cast<int64_t>(list.size());
    }
    const int end = begin + static_cast<int>(count);
    ranges.push_back({.begin = begin, .end = end});
    begin = end;
  }
  return ranges;
}

void AddDefaultAttrs(const OpSchema& schema, AttrMap& attrs) {
  for (const AttrSpec& attr : schema.attrs) {
    if (attr.default_value && !attrs.Has(attr.name)) attrs.Set(attr.name, *attr.default_value);
  }
}

void StripDefaultAttrs(const OpSchema& schema, AttrMap& attrs) {
  for (const AttrSpec& attr : schema.attrs) {
    const AttrValue* value = attr.default_value ? attrs.Find(attr.name) : nullptr;
    if (value != nullptr && *value == *attr.default_value) attrs.Erase(attr.name);
  }
}

}  // namespace rheo::op
