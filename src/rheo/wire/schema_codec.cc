#include <array>

#include "rheo/wire/graph_codec.h"
#include "rheo/wire/tensor_codec.h"

namespace rheo::wire {
namespace {

using op::AttrKind;

constexpr std::array<std::pair<std::string_view, AttrKind>, 8> kKinds = {{
    {"string", AttrKind::kString},
    {"int", AttrKind::kInt},
    {"float", AttrKind::kFloat},
    {"bool", AttrKind::kBool},
    {"type", AttrKind::kType},
    {"shape", AttrKind::kShape},
    {"tensor", AttrKind::kTensor},
    {"func", AttrKind::kFunc},
}};

// "int" or "list(int)".
Status ParseKind(std::string_view text, op::AttrSpec& spec) {
  std::string_view name = text;
  if (name.starts_with("list(") && name.ends_with(")")) {
    spec.is_list = true;
    name = name.substr(5, name.size() - 6);
  }
  for (const auto& [known, kind] : kKinds) {
    if (known == name) {
      spec.kind = kind;
      return OkStatus();
    }
  }
  return InvalidArgument("attr '{}' is of the unknown kind '{}'", spec.name, text);
}

Status ArgFromProto(tensorflow::OpDef::ArgDef& proto, op::ArgSpec& arg) {
  arg.name = std::move(*proto.mutable_name());
  RHEO_ASSIGN_OR_RETURN(arg.type, DTypeFromNumber(proto.type()));
  arg.type_attr = std::move(*proto.mutable_type_attr());
  arg.number_attr = std::move(*proto.mutable_number_attr());
  arg.type_list_attr = std::move(*proto.mutable_type_list_attr());
  arg.is_ref = proto.is_ref();
  proto.clear_name();
  proto.clear_type();
  proto.clear_type_attr();
  proto.clear_number_attr();
  proto.clear_type_list_attr();
  proto.clear_is_ref();
  return OkStatus();
}

void ArgToProto(const op::ArgSpec& arg, tensorflow::OpDef::ArgDef& proto) {
  proto.set_name(arg.name);
  proto.set_type(static_cast<tensorflow::DataType>(arg.type));
  proto.set_type_attr(arg.type_attr);
  proto.set_number_attr(arg.number_attr);
  proto.set_type_list_attr(arg.type_list_attr);
  proto.set_is_ref(arg.is_ref);
}

Status AttrSpecFromProto(tensorflow::OpDef::AttrDef& proto, DecodeContext& context,
                         op::AttrSpec& spec) {
  spec.name = std::move(*proto.mutable_name());
  RHEO_RETURN_IF_ERROR(ParseKind(proto.type(), spec));
  if (proto.has_default_value()) {
    RHEO_ASSIGN_OR_RETURN(spec.default_value,
                          AttrFromProto(*proto.mutable_default_value(), context));
  }
  if (proto.has_minimum()) spec.minimum = proto.minimum();
  for (const int number : proto.allowed_values().list().type()) {
    RHEO_ASSIGN_OR_RETURN(const DType dtype, DTypeFromNumber(number));
    spec.allowed_types.push_back(dtype);
  }
  for (const std::string& s : proto.allowed_values().list().s()) spec.allowed_strings.push_back(s);
  proto.clear_name();
  proto.clear_type();
  proto.clear_default_value();
  proto.clear_has_minimum();
  proto.clear_minimum();
  proto.clear_allowed_values();
  return OkStatus();
}

void AttrSpecToProto(const op::AttrSpec& spec, tensorflow::OpDef::AttrDef& proto) {
  proto.set_name(spec.name);
  proto.set_type(op::KindText(spec));
  if (spec.default_value) AttrToProto(*spec.default_value, *proto.mutable_default_value());
  if (spec.minimum) {
    proto.set_has_minimum(true);
    proto.set_minimum(*spec.minimum);
  }
  for (const DType t : spec.allowed_types) {
    proto.mutable_allowed_values()->mutable_list()->add_type(static_cast<tensorflow::DataType>(t));
  }
  for (const std::string& s : spec.allowed_strings) {
    proto.mutable_allowed_values()->mutable_list()->add_s(s);
  }
}

template <typename Repeated>
void ClearIfEmpty(Repeated& elements) {
  for (const auto& e : elements) {
    if (e.ByteSizeLong() > 0) return;
  }
  elements.Clear();
}

// Element i, appended when there is none: what was left of it is merged with what it becomes.
template <typename Repeated>
auto& At(Repeated& elements, size_t i) {
  return static_cast<int>(i) < elements.size() ? *elements.Mutable(static_cast<int>(i))
                                               : *elements.Add();
}

void ClearTaken(tensorflow::OpDef& proto) {
  ClearIfEmpty(*proto.mutable_input_arg());
  ClearIfEmpty(*proto.mutable_output_arg());
  ClearIfEmpty(*proto.mutable_attr());
  proto.clear_name();
  proto.clear_control_output();
  proto.clear_deprecation();
  proto.clear_is_aggregate();
  proto.clear_is_stateful();
  proto.clear_is_commutative();
  proto.clear_allows_uninitialized_input();
  proto.clear_is_distributed_communication();
}

}  // namespace

Status SchemaFromProto(tensorflow::OpDef& proto, DecodeContext& context, op::OpSchema& schema) {
  schema.name = std::move(*proto.mutable_name());
  for (auto& arg : *proto.mutable_input_arg()) {
    RHEO_RETURN_IF_ERROR(ArgFromProto(arg, schema.inputs.emplace_back()));
  }
  for (auto& arg : *proto.mutable_output_arg()) {
    RHEO_RETURN_IF_ERROR(ArgFromProto(arg, schema.outputs.emplace_back()));
  }
  for (auto& attr : *proto.mutable_attr()) {
    RHEO_RETURN_IF_ERROR(AttrSpecFromProto(attr, context, schema.attrs.emplace_back()));
  }
  schema.control_outputs.assign(proto.control_output().begin(), proto.control_output().end());
  schema.is_stateful = proto.is_stateful();
  schema.is_commutative = proto.is_commutative();
  schema.is_aggregate = proto.is_aggregate();
  schema.allows_uninitialized_input = proto.allows_uninitialized_input();
  schema.is_communication = proto.is_distributed_communication();
  schema.deprecated_version = proto.deprecation().version();
  schema.deprecation_text = proto.deprecation().explanation();
  ClearTaken(proto);
  return OkStatus();
}

void SchemaToProto(const op::OpSchema& schema, tensorflow::OpDef& proto) {
  proto.set_name(schema.name);
  for (size_t i = 0; i < schema.inputs.size(); ++i) {
    ArgToProto(schema.inputs[i], At(*proto.mutable_input_arg(), i));
  }
  for (size_t i = 0; i < schema.outputs.size(); ++i) {
    ArgToProto(schema.outputs[i], At(*proto.mutable_output_arg(), i));
  }
  for (size_t i = 0; i < schema.attrs.size(); ++i) {
    AttrSpecToProto(schema.attrs[i], At(*proto.mutable_attr(), i));
  }
  for (const std::string& name : schema.control_outputs) proto.add_control_output(name);
  proto.set_is_stateful(schema.is_stateful);
  proto.set_is_commutative(schema.is_commutative);
  proto.set_is_aggregate(schema.is_aggregate);
  proto.set_allows_uninitialized_input(schema.allows_uninitialized_input);
  proto.set_is_distributed_communication(schema.is_communication);
  if (schema.deprecated_version != 0 || !schema.deprecation_text.empty()) {
    proto.mutable_deprecation()->set_version(schema.deprecated_version);
    proto.mutable_deprecation()->set_explanation(schema.deprecation_text);
  }
}

}  // namespace rheo::wire
