// ParseSignature(): one line of the op table.
#include <array>

#include "rheo/op/attr_text.h"
#include "rheo/op/cursor.h"
#include "rheo/op/op_registry.h"

namespace rheo::op {
namespace {

constexpr std::string_view kSeparator = "; ";

Status Malformed(std::string_view what, const Cursor& at) {
  return InvalidArgument("{} expected at '{}'", what, at.rest().substr(0, 40));
}

// BASE of the grammar: a dtype or the name of a type attr.
Status TakeBase(Cursor& cursor, ArgSpec& arg) {
  const std::string_view word = cursor.TakeWord();
  if (word.empty()) return Malformed("a type", cursor);
  if (const std::optional<DType> dtype = ParseDType(word)) {
    arg.type = *dtype;
  } else {
    arg.type_attr = word;
  }
  return OkStatus();
}

Status TakeArgType(Cursor& cursor, ArgSpec& arg) {
  if (cursor.Take("list(")) {
    arg.type_list_attr = cursor.TakeWord();
    if (arg.type_list_attr.empty()) return Malformed("the name of a list(type) attr", cursor);
    return cursor.Take(")") ? OkStatus() : Malformed("')'", cursor);
  }
  Cursor behind_number = cursor;
  const std::string_view number = behind_number.TakeWord();
  if (behind_number.Take("*")) {
    arg.number_attr = number;
    cursor = behind_number;
  }
  return TakeBase(cursor, arg);
}

Status TakeArg(Cursor& cursor, ArgSpec& arg) {
  arg.name = cursor.TakeWord();
  if (arg.name.empty()) return Malformed("the name of an argument", cursor);
  if (!cursor.Take(":")) return Malformed("':'", cursor);
  arg.is_ref = cursor.Take("Ref(");
  RHEO_RETURN_IF_ERROR(TakeArgType(cursor, arg));
  if (arg.is_ref && !cursor.Take(")")) return Malformed("')'", cursor);
  return OkStatus();
}

std::optional<AttrKind> KindOf(std::string_view word) {
  constexpr std::pair<std::string_view, AttrKind> kKinds[] = {
      {"type", AttrKind::kType},     {"int", AttrKind::kInt},      {"bool", AttrKind::kBool},
      {"string", AttrKind::kString}, {"float", AttrKind::kFloat},  {"shape", AttrKind::kShape},
      {"func", AttrKind::kFunc},     {"tensor", AttrKind::kTensor}};
  for (const auto& [name, kind] : kKinds) {
    if (name == word) return kind;
  }
  return std::nullopt;
}

Status TakeKind(Cursor& cursor, AttrSpec& attr) {
  const Cursor start = cursor;
  attr.is_list = cursor.Take("list(");
  const std::optional<AttrKind> kind = KindOf(cursor.TakeWord());
  if (!kind || (attr.is_list && !cursor.Take(")"))) return Malformed("the kind of an attr", start);
  attr.kind = *kind;
  return OkStatus();
}

Status TakeAllowedValues(Cursor& cursor, AttrSpec& attr) {
  if (!cursor.Take("{")) return OkStatus();
  do {
    if (attr.kind == AttrKind::kType) {
      const Cursor start = cursor;
      const std::optional<DType> dtype = ParseDType(cursor.TakeWord());
      if (!dtype) return Malformed("a dtype", start);
      attr.allowed_types.push_back(*dtype);
    } else if (attr.kind == AttrKind::kString) {
      std::string text;
      if (!cursor.TakeQuoted(text)) return Malformed("a string", cursor);
      attr.allowed_strings.push_back(std::move(text));
    } else {
      return InvalidArgument("attr '{}': only types and strings have allowed values", attr.name);
    }
  } while (cursor.Take(","));
  return cursor.Take("}") ? OkStatus() : Malformed("'}'", cursor);
}

Status TakeMinimum(Cursor& cursor, AttrSpec& attr) {
  if (!cursor.Take(">=")) return OkStatus();
  if (!attr.is_list && attr.kind != AttrKind::kInt) {
    return InvalidArgument("attr '{}': only ints and lists have a minimum", attr.name);
  }
  int64_t minimum = 0;
  if (!cursor.TakeNumber(minimum)) return Malformed("a number", cursor);
  attr.minimum = minimum;
  return OkStatus();
}

Status TakeDefault(Cursor& cursor, AttrSpec& attr) {
  if (!cursor.Take("=")) return OkStatus();
  const Cursor start = cursor;
  attr.default_value =
      attr.is_list ? TakeAttrList(cursor, attr.kind) : TakeAttrValue(cursor, attr.kind);
  return attr.default_value ? OkStatus() : Malformed("a value of " + KindText(attr), start);
}

Status TakeAttr(Cursor& cursor, AttrSpec& attr) {
  attr.name = cursor.TakeWord();
  if (attr.name.empty()) return Malformed("the name of an attr", cursor);
  if (!cursor.Take(":")) return Malformed("':'", cursor);
  RHEO_RETURN_IF_ERROR(TakeKind(cursor, attr));
  RHEO_RETURN_IF_ERROR(TakeAllowedValues(cursor, attr));
  RHEO_RETURN_IF_ERROR(TakeMinimum(cursor, attr));
  return TakeDefault(cursor, attr);
}

// A whole column: items separated by "; ".
template <typename Item>
Status ParseColumn(std::string_view text, Status (*take)(Cursor&, Item&),
                   std::vector<Item>& items) {
  Cursor cursor(text);
  while (!cursor.AtEnd()) {
    if (!items.empty() && !cursor.Take(kSeparator)) return Malformed("'; '", cursor);
    RHEO_RETURN_IF_ERROR(take(cursor, items.emplace_back()));
  }
  return OkStatus();
}

Status ApplyFlag(std::string_view flag, OpSchema& schema) {
  Cursor cursor(flag);
  if (flag == "stateful") {
    schema.is_stateful = true;
  } else if (flag == "commutative") {
    schema.is_commutative = true;
  } else if (flag == "aggregate") {
    schema.is_aggregate = true;
  } else if (flag == "uninit") {
    schema.allows_uninitialized_input = true;
  } else if (flag == "comm") {
    schema.is_communication = true;
  } else if (cursor.Take("deprecated=")) {
    if (!cursor.TakeNumber(schema.deprecated_version) || !cursor.AtEnd()) {
      return Malformed("a version", cursor);
    }
  } else if (cursor.Take("ctl=")) {
    schema.control_outputs.emplace_back(cursor.rest());
  } else {
    return InvalidArgument("unknown flag '{}'", flag);
  }
  return OkStatus();
}

Status ParseFlags(std::string_view text, OpSchema& schema) {
  Cursor cursor(text);
  while (!cursor.AtEnd()) RHEO_RETURN_IF_ERROR(ApplyFlag(cursor.TakeUntil(','), schema));
  return OkStatus();
}

Status CheckAttrOfArg(const OpSchema& schema, const ArgSpec& arg, std::string_view attr_name,
                      AttrKind kind, bool is_list) {
  if (attr_name.empty()) return OkStatus();
  const AttrSpec* attr = schema.FindAttr(attr_name);
  if (attr != nullptr && attr->kind == kind && attr->is_list == is_list) return OkStatus();
  return InvalidArgument("argument '{}': '{}' is neither a dtype nor a fitting attr", arg.name,
                         attr_name);
}

Status CheckArgs(const OpSchema& schema, const std::vector<ArgSpec>& args) {
  for (const ArgSpec& arg : args) {
    RHEO_RETURN_IF_ERROR(CheckAttrOfArg(schema, arg, arg.type_attr, AttrKind::kType, false));
    RHEO_RETURN_IF_ERROR(CheckAttrOfArg(schema, arg, arg.number_attr, AttrKind::kInt, false));
    RHEO_RETURN_IF_ERROR(CheckAttrOfArg(schema, arg, arg.type_list_attr, AttrKind::kType, true));
  }
  return OkStatus();
}

}  // namespace

StatusOr<OpSchema> ParseSignature(std::string_view line) {
  Cursor cursor(line);
  std::array<std::string_view, 5> columns;
  for (std::string_view& column : columns) column = cursor.TakeUntil('\t');
  if (!cursor.AtEnd()) return InvalidArgument("more than five columns");
  OpSchema schema;
  schema.name = columns[0];
  if (schema.name.empty()) return InvalidArgument("the name of the op is empty");
  RHEO_RETURN_IF_ERROR(ParseColumn(columns[1], TakeArg, schema.inputs));
  RHEO_RETURN_IF_ERROR(ParseColumn(columns[2], TakeArg, schema.outputs));
  RHEO_RETURN_IF_ERROR(ParseColumn(columns[3], TakeAttr, schema.attrs));
  RHEO_RETURN_IF_ERROR(ParseFlags(columns[4], schema));
  RHEO_RETURN_IF_ERROR(CheckArgs(schema, schema.inputs));
  RHEO_RETURN_IF_ERROR(CheckArgs(schema, schema.outputs));
  return schema;
}

}  // namespace rheo::op
