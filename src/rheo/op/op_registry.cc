#include "rheo/op/op_registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "rheo/op/cursor.h"

namespace rheo::op {

Status OpRegistry::AddTable(std::string_view text) {
  by_name_.reserve(by_name_.size() +
                   static_cast<size_t>(std::count(text.begin(), text.end(), '\n')));
  Cursor cursor(text);
  for (int line_number = 1; !cursor.AtEnd(); ++line_number) {
    const std::string_view line = cursor.TakeUntil('\n');
    if (line.empty() || line.front() == '#') continue;
    StatusOr<OpSchema> schema = ParseSignature(line);
    Status status = schema.ok() ? Add(*std::move(schema)) : schema.status();
    if (!status.ok()) {
      const std::string_view name = line.substr(0, line.find('\t'));
      return Prefix(status, fmt::format("op table, line {} ('{}'): ", line_number, name));
    }
  }
  return OkStatus();
}

Status OpRegistry::Add(OpSchema schema) {
  auto owned = std::make_unique<OpSchema>(std::move(schema));
  const std::string& name = owned->name;
  if (by_name_.contains(name)) return AlreadyExists("op '{}' is registered already", name);
  by_name_.emplace(name, std::move(owned));
  return OkStatus();
}

Status OpRegistry::SetShapeFn(std::string_view op, ShapeFn fn) {
  const auto it = by_name_.find(op);
  if (it == by_name_.end()) return NotFound("no op '{}' to give a shape function to", op);
  it->second->shape_fn = std::move(fn);
  return OkStatus();
}

const OpSchema* OpRegistry::Find(std::string_view op) const {
  const auto it = by_name_.find(op);
  return it == by_name_.end() ? nullptr : it->second.get();
}

std::vector<const OpSchema*> OpRegistry::All() const {
  std::vector<const OpSchema*> all;
  all.reserve(by_name_.size());
  for (const auto& [name, schema] : by_name_) all.push_back(schema.get());
  std::sort(all.begin(), all.end(),
            [](const OpSchema* a, const OpSchema* b) { return a->name < b->name; });
  return all;
}

}  // namespace rheo::op
