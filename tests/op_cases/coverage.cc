#include "coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "all_cases.h"

namespace rheo::ops {
namespace {

// Each combination of attr values that kernels of a device type take, as text; "any" for no
// constraints.
using Combinations = std::set<std::string>;

void AddCombinations(const op::KernelRow& row, size_t next, std::string prefix,
                     Combinations& combinations) {
  if (next == row.constraints.size()) {
    combinations.insert(prefix.empty() ? "any" : prefix);
    return;
  }
  for (const op::AttrValue& value : row.constraints[next].allowed) {
    AddCombinations(row, next + 1, prefix + (prefix.empty() ? "" : "·") + value.ToString(),
                    combinations);
  }
}

std::map<std::string, Combinations> ByOp(const op::KernelCatalog& catalog,
                                         std::initializer_list<std::string_view> device_types) {
  std::map<std::string, Combinations> by_op;
  for (const op::KernelRow* kept : catalog.All()) {
    if (std::ranges::find(device_types, kept->device_type) == device_types.end()) continue;
    op::KernelRow row = *kept;
    std::ranges::sort(row.constraints, {}, &op::AttrConstraint::attr);
    AddCombinations(row, 0, "", by_op[row.op]);
  }
  return by_op;
}

std::string Text(const Combinations& combinations) {
  if (combinations.contains("any")) return "any";
  if (combinations.size() > 20) return fmt::format("{} combinations", combinations.size());
  return fmt::format("{}", fmt::join(combinations, " "));
}

Combinations Missing(const Combinations& theirs, const Combinations& ours) {
  Combinations missing;
  if (ours.contains("any")) return missing;
  std::set_difference(theirs.begin(), theirs.end(), ours.begin(), ours.end(),
                      std::inserter(missing, missing.begin()));
  return missing;
}

std::string_view GradientText(const autodiff::GradientRegistry& gradients, const std::string& op) {
  if (gradients.IsNotDifferentiable(op)) return "none by nature";
  return gradients.Find(op) != nullptr ? "yes" : "";
}

}  // namespace

std::string CoverageTable(const runtime::Registries& registries) {
  std::map<std::string, size_t> num_cases;
  for (const OpCase& c : AllOpCases()) {
    const auto expanded = Expand(c, registries.ops);
    num_cases[c.op] += expanded.ok() ? expanded->size() : 0;
  }
  StatusOr<op::KernelCatalog> tensorflow = op::KernelCatalog::Parse(op::TensorFlowKernelTable());
  if (!tensorflow.ok()) return tensorflow.status().ToString();
  op::OpRegistry public_ops;
  if (const Status status = public_ops.AddTable(op::PublicOpTable()); !status.ok()) {
    return status.ToString();
  }
  // A kernel for any device type is one for CPU too.
  std::map<std::string, Combinations> theirs = ByOp(*tensorflow, {"CPU", "DEFAULT"});
  std::map<std::string, Combinations> on_sim = ByOp(registries.kernels.catalog(), {"GPU"});
  std::string table = R"(# Operations

What there is for each operation that has a kernel. Written by `op_cases coverage`; the test
`operations_table` fails when this page is old.

* *CPU kernels*: the values of the type attrs, in order of the attrs' names, that have a kernel.
* *TensorFlow has besides*: values for which TensorFlow 2.21 has a CPU kernel and Rheo has none.
* *GPU kernels*: those of the simulated GPU; what only moves values or looks at shapes needs none.
* *gradient*: "none by nature" for operations through which no gradient flows.
* *cases*: how many calls of the operation are compared with TensorFlow (`./test --compat`), timed, and where
  it has a gradient compared with the numeric one.

| op | CPU kernels | TensorFlow has besides | GPU kernels | shape function | gradient | cases |
|---|---|---|---|---|---|---:|
)";
  for (const auto& [op, ours] : ByOp(registries.kernels.catalog(), {"CPU", "DEFAULT"})) {
    const op::OpSchema* schema = registries.ops.Find(op);
    const bool own = public_ops.Find(op) == nullptr && !theirs.contains(op);
    table +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", op, Text(ours),
                    own ? "(not an op of TensorFlow's)" : Text(Missing(theirs[op], ours)),
                    Text(on_sim[op]), schema != nullptr && schema->shape_fn != nullptr ? "yes" : "",
                    GradientText(registries.gradients, op), num_cases[op]);
  }
  return table;
}

std::string LineDifferences(std::string_view old, std::string_view now) {
  const auto lines_of = [](std::string_view text) {
    std::set<std::string_view> lines;
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size() - 1);
      lines.insert(text.substr(0, end + 1));
      text.remove_prefix(end + 1);
    }
    return lines;
  };
  const auto before = lines_of(old);
  const auto after = lines_of(now);
  std::string differences;
  for (const std::string_view line : before) {
    if (!after.contains(line)) differences += "- " + std::string(line);
  }
  for (const std::string_view line : after) {
    if (!before.contains(line)) differences += "+ " + std::string(line);
  }
  return differences.empty() && old != now ? "the lines stand in another order\n" : differences;
}

}  // namespace rheo::ops
