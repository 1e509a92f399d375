#include "rheo/op/kernel_catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "rheo/op/attr_text.h"
#include "rheo/op/cursor.h"

namespace rheo::op {
namespace {

constexpr std::string_view kAnyDevice = "DEFAULT";
constexpr std::string_view kLabelAttr = "_kernel";

// A list attr fits when each of its elements does.
bool Allows(const AttrConstraint& constraint, const AttrValue& value) {
  const auto allows_one = [&](const AttrValue& one) {
    return std::find(constraint.allowed.begin(), constraint.allowed.end(), one) !=
           constraint.allowed.end();
  };
  const AttrList* list = value.list();
  if (list == nullptr) return allows_one(value);
  if (allows_one(value)) return true;
  const auto all = [&](const auto& values) {
    return std::all_of(values.begin(), values.end(),
                       [&](const auto& v) { return allows_one(AttrValue(v)); });
  };
  if (!list->types.empty()) return all(list->types);
  if (!list->ints.empty()) return all(list->ints);
  return list->size() == 0;
}

const KernelRow* Best(const std::vector<std::shared_ptr<const KernelRow>>& rows,
                      std::string_view device_type, std::string_view label, const AttrMap& attrs) {
  const KernelRow* best = nullptr;
  for (const auto& row : rows) {
    if (row->device_type != device_type || row->label != label) continue;
    if (best != nullptr && row->priority <= best->priority) continue;
    if (Matches(*row, attrs)) best = row.get();
  }
  return best;
}

// A dtype, string, int or bool.
std::optional<AttrValue> TakeAnyValue(Cursor& cursor) {
  if (cursor.Peek() == '"') return TakeAttrValue(cursor, AttrKind::kString);
  Cursor word = cursor;
  if (ParseDType(word.TakeWord())) return TakeAttrValue(cursor, AttrKind::kType);
  if (auto value = TakeAttrValue(cursor, AttrKind::kBool)) return value;
  return TakeAttrValue(cursor, AttrKind::kInt);
}

Status TakeConstraint(Cursor& cursor, AttrConstraint& constraint) {
  constraint.attr = cursor.TakeWord();
  if (constraint.attr.empty() || !cursor.Take(":")) {
    return InvalidArgument("a constraint expected at '{}'", cursor.rest().substr(0, 40));
  }
  do {
    std::optional<AttrValue> value = TakeAnyValue(cursor);
    if (!value) return InvalidArgument("a value expected at '{}'", cursor.rest().substr(0, 40));
    constraint.allowed.push_back(*std::move(value));
  } while (cursor.Take(","));
  return OkStatus();
}

// The alternatives of the third column; "*" is one without constraints.
StatusOr<std::vector<std::vector<AttrConstraint>>> ParseAlternatives(std::string_view text) {
  std::vector<std::vector<AttrConstraint>> alternatives(1);
  if (text == "*") return alternatives;
  Cursor cursor(text);
  while (true) {
    RHEO_RETURN_IF_ERROR(TakeConstraint(cursor, alternatives.back().emplace_back()));
    if (cursor.AtEnd()) return alternatives;
    if (cursor.Take(" | ")) {
      alternatives.emplace_back();
    } else if (!cursor.Take("; ")) {
      return InvalidArgument("'; ' or ' | ' expected at '{}'", cursor.rest().substr(0, 40));
    }
  }
}

Status ParseLine(std::string_view line, KernelCatalog& catalog) {
  Cursor cursor(line);
  std::array<std::string_view, 5> columns;
  for (std::string_view& column : columns) column = cursor.TakeUntil('\t');
  if (!cursor.AtEnd()) return InvalidArgument("more than five columns");
  if (columns[0].empty() || columns[1].empty()) return InvalidArgument("op or device is empty");
  KernelRow row;
  row.op = columns[0];
  row.device_type = columns[1];
  row.label = columns[4];
  Cursor args(columns[3]);
  while (!args.AtEnd()) row.host_memory_args.emplace_back(args.TakeUntil(','));
  RHEO_ASSIGN_OR_RETURN(auto alternatives, ParseAlternatives(columns[2]));
  for (std::vector<AttrConstraint>& constraints : alternatives) {
    row.constraints = std::move(constraints);
    catalog.Add(row);
  }
  return OkStatus();
}

std::string Text(const AttrConstraint& constraint) {
  std::vector<std::string> values;
  for (const AttrValue& value : constraint.allowed) values.push_back(value.ToString());
  return fmt::format("{} in [{}]", constraint.attr, fmt::join(values, ", "));
}

std::string Text(const KernelRow& row) {
  std::vector<std::string> constraints;
  for (const AttrConstraint& constraint : row.constraints) constraints.push_back(Text(constraint));
  if (!row.label.empty()) constraints.push_back("label='" + row.label + "'");
  if (constraints.empty()) return row.device_type;
  return fmt::format("{}: {}", row.device_type, fmt::join(constraints, ", "));
}

}  // namespace

bool Matches(const KernelRow& row, const AttrMap& attrs) {
  return std::all_of(row.constraints.begin(), row.constraints.end(),
                     [&](const AttrConstraint& constraint) {
                       const AttrValue* value = attrs.Find(constraint.attr);
                       return value != nullptr && Allows(constraint, *value);
                     });
}

const KernelRow* KernelCatalog::Add(KernelRow row) {
  auto& rows = rows_[row.op];
  rows.push_back(std::make_shared<const KernelRow>(std::move(row)));
  return rows.back().get();
}

const KernelRow* KernelCatalog::Find(std::string_view op, std::string_view device_type,
                                     const AttrMap& attrs) const {
  const auto it = rows_.find(op);
  if (it == rows_.end()) return nullptr;
  const AttrValue* label_attr = attrs.Find(kLabelAttr);
  const std::string* label = label_attr == nullptr ? nullptr : label_attr->As<std::string>();
  const std::string_view wanted = label == nullptr ? std::string_view() : *label;
  const KernelRow* own = Best(it->second, device_type, wanted, attrs);
  return own != nullptr ? own : Best(it->second, kAnyDevice, wanted, attrs);
}

std::string KernelCatalog::Describe(std::string_view op) const {
  const auto it = rows_.find(op);
  if (it == rows_.end()) return "none";
  std::vector<std::string> rows;
  for (const auto& row : it->second) rows.push_back(Text(*row));
  return fmt::format("{}", fmt::join(rows, "; "));
}

std::vector<const KernelRow*> KernelCatalog::All() const {
  std::vector<const KernelRow*> all;
  for (const auto& [op, rows] : rows_) {
    for (const auto& row : rows) all.push_back(row.get());
  }
  return all;
}

StatusOr<KernelCatalog> KernelCatalog::Parse(std::string_view text) {
  KernelCatalog catalog;
  Cursor cursor(text);
  for (int line_number = 1; !cursor.AtEnd(); ++line_number) {
    const std::string_view line = cursor.TakeUntil('\n');
    if (line.empty() || line.front() == '#') continue;
    const Status status = ParseLine(line, catalog);
    if (!status.ok()) return Prefix(status, fmt::format("kernel table, line {}: ", line_number));
  }
  return catalog;
}

}  // namespace rheo::op
