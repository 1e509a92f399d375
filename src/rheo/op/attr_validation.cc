// ValidateAttrs() and the texts that describe schemas in its messages.
#include <fmt/format.h>

#include <algorithm>

#include "rheo/op/op_schema.h"

namespace rheo::op {
namespace {

std::string_view KindWord(AttrKind kind) {
  switch (kind) {
    case AttrKind::kString:
      return "string";
    case AttrKind::kInt:
      return "int";
    case AttrKind::kFloat:
      return "float";
    case AttrKind::kBool:
      return "bool";
    case AttrKind::kType:
      return "type";
    case AttrKind::kShape:
      return "shape";
    case AttrKind::kTensor:
      return "tensor";
    case AttrKind::kFunc:
      return "func";
  }
  return "?";
}

std::string KindText(const AttrValue& value) {
  struct Visitor {
    std::string operator()(std::monostate) const { return "(unset)"; }
    std::string operator()(const std::string&) const { return "string"; }
    std::string operator()(int64_t) const { return "int"; }
    std::string operator()(float) const { return "float"; }
    std::string operator()(bool) const { return "bool"; }
    std::string operator()(DType) const { return "type"; }
    std::string operator()(const PartialShape&) const { return "shape"; }
    std::string operator()(const Tensor&) const { return "tensor"; }
    std::string operator()(const std::shared_ptr<const FuncRef>&) const { return "func"; }
    std::string operator()(const Placeholder&) const { return "placeholder"; }
    std::string operator()(const std::shared_ptr<const AttrList>& list) const {
      if (!list->strings.empty()) return "list(string)";
      if (!list->ints.empty()) return "list(int)";
      if (!list->floats.empty()) return "list(float)";
      if (!list->bools.empty()) return "list(bool)";
      if (!list->types.empty()) return "list(type)";
      if (!list->shapes.empty()) return "list(shape)";
      if (!list->tensors.empty()) return "list(tensor)";
      if (!list->funcs.empty()) return "list(func)";
      return "list()";
    }
  };
  return std::visit(Visitor(), value.storage());
}

bool FitsKind(const AttrSpec& spec, const AttrValue& value) {
  const std::string kind = KindText(value);
  if (spec.is_list) return kind == "list()" || kind == KindText(spec);
  return kind == KindWord(spec.kind);
}

Status CheckTypes(const AttrSpec& spec, std::span<const DType> types) {
  for (const DType type : types) {
    if (std::find(spec.allowed_types.begin(), spec.allowed_types.end(), type) ==
        spec.allowed_types.end()) {
      std::vector<std::string> names;
      for (const DType allowed : spec.allowed_types) names.push_back(DTypeName(allowed));
      return InvalidArgument("Value for attr '{}' of {} is not in the list of allowed values: {}",
                             spec.name, DTypeName(type), fmt::join(names, ", "));
    }
  }
  return OkStatus();
}

Status CheckStrings(const AttrSpec& spec, std::span<const std::string> strings) {
  for (const std::string& text : strings) {
    if (std::find(spec.allowed_strings.begin(), spec.allowed_strings.end(), text) ==
        spec.allowed_strings.end()) {
      return InvalidArgument(
          "Value for attr '{}' of \"{}\" is not in the list of allowed values: \"{}\"", spec.name,
          text, fmt::join(spec.allowed_strings, "\", \""));
    }
  }
  return OkStatus();
}

Status CheckAllowed(const AttrSpec& spec, const AttrValue& value) {
  const AttrList* list = value.list();
  if (!spec.allowed_types.empty()) {
    if (list != nullptr) return CheckTypes(spec, list->types);
    return CheckTypes(spec, {value.As<DType>(), 1});
  }
  if (!spec.allowed_strings.empty()) {
    if (list != nullptr) return CheckStrings(spec, list->strings);
    return CheckStrings(spec, {value.As<std::string>(), 1});
  }
  return OkStatus();
}

Status CheckMinimum(const AttrSpec& spec, const AttrValue& value) {
  if (!spec.minimum) return OkStatus();
  if (const AttrList* list = value.list()) {
    if (static_cast<int64_t>(list->size()) >= *spec.minimum) return OkStatus();
    return InvalidArgument("Length for attr '{}' of {} must be at least minimum {}", spec.name,
                           list->size(), *spec.minimum);
  }
  const int64_t number = *value.As<int64_t>();
  if (number >= *spec.minimum) return OkStatus();
  return InvalidArgument("Value for attr '{}' of {} must be at least minimum {}", spec.name, number,
                         *spec.minimum);
}

Status CheckAttr(const AttrSpec& spec, const AttrValue& value) {
  if (!FitsKind(spec, value)) {
    return InvalidArgument("AttrValue had value with type '{}' when '{}' expected for attr '{}'",
                           KindText(value), KindText(spec), spec.name);
  }
  RHEO_RETURN_IF_ERROR(CheckMinimum(spec, value));
  return CheckAllowed(spec, value);
}

std::string ArgText(const ArgSpec& arg) {
  std::string type = arg.type_attr.empty() ? DTypeName(arg.type) : arg.type_attr;
  if (!arg.number_attr.empty()) type = arg.number_attr + '*' + type;
  if (!arg.type_list_attr.empty()) type = arg.type_list_attr;
  return arg.is_ref ? fmt::format("{}:Ref({})", arg.name, type)
                    : fmt::format("{}:{}", arg.name, type);
}

std::string ArgsText(const std::vector<ArgSpec>& args) {
  std::vector<std::string> texts;
  for (const ArgSpec& arg : args) texts.push_back(ArgText(arg));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string AttrText(const AttrSpec& attr) {
  std::string text = fmt::format("{}:{}", attr.name, KindText(attr));
  if (attr.default_value) text += ",default=" + attr.default_value->ToString();
  if (attr.minimum) text += fmt::format(",min={}", *attr.minimum);
  if (!attr.allowed_types.empty()) {
    std::vector<std::string> names;
    for (const DType type : attr.allowed_types) names.push_back("DT_" + DTypeName(type));
    std::string list = fmt::format("{}", fmt::join(names, ", "));
    for (char& c : list) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    text += ",allowed=[" + list + "]";
  }
  if (!attr.allowed_strings.empty()) {
    text += fmt::format(",allowed=[\"{}\"]", fmt::join(attr.allowed_strings, "\", \""));
  }
  return text;
}

}  // namespace

std::string KindText(const AttrSpec& attr) {
  const std::string_view kind = KindWord(attr.kind);
  return attr.is_list ? fmt::format("list({})", kind) : std::string(kind);
}

std::string Describe(const OpSchema& schema) {
  std::string text = fmt::format("Op<name={}; signature={} -> {}", schema.name,
                                 ArgsText(schema.inputs), ArgsText(schema.outputs));
  for (const AttrSpec& attr : schema.attrs) text += "; attr=" + AttrText(attr);
  if (schema.is_stateful) text += "; is_stateful=true";
  return text + ">";
}

Status ValidateAttrs(const OpSchema& schema, const AttrMap& attrs) {
  for (const AttrSpec& spec : schema.attrs) {
    const AttrValue* value = attrs.Find(spec.name);
    if (value == nullptr) {
      return InvalidArgument("NodeDef missing attr '{}' from {}", spec.name, Describe(schema));
    }
    RHEO_RETURN_IF_ERROR(CheckAttr(spec, *value));
  }
  return OkStatus();
}

}  // namespace rheo::op
