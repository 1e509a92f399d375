#include "rheo/ops/common/table_kernels.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace rheo::ops {
namespace {

// The op column of the line that starts at `begin`.
std::string_view OpAt(std::string_view table, size_t begin) {
  return table.substr(begin, table.find('\t', begin) - begin);
}

// The start of the line that holds position `at`.
size_t LineStart(std::string_view table, size_t at) {
  if (at == 0) return 0;
  const size_t newline = table.rfind('\n', at - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

size_t NextLine(std::string_view table, size_t at) {
  const size_t newline = table.find('\n', at);
  return newline == std::string_view::npos ? table.size() : newline + 1;
}

// The start of the first line whose op is not less than `op`.
size_t LowerBound(std::string_view table, std::string_view op) {
  size_t low = 0;
  size_t high = table.size();
  while (low < high) {
    const size_t line = LineStart(table, low + (high - low) / 2);
    if (OpAt(table, line) < op) {
      low = NextLine(table, line);
    } else {
      high = line;
    }
  }
  return low;
}

[[noreturn]] void Die(std::string_view op, std::string_view why) {
  std::fprintf(stderr, "cannot register kernels of op '%.*s': %.*s\n", static_cast<int>(op.size()),
               op.data(), static_cast<int>(why.size()), why.data());
  std::abort();
}

kernel::KernelRegistration FromRow(const op::KernelRow& row, const kernel::KernelFactory& factory) {
  kernel::KernelRegistration r;
  r.op = row.op;
  r.device_type = row.device_type;
  r.constraints = row.constraints;
  r.host_memory_args = row.host_memory_args;
  r.label = row.label;
  r.priority = row.priority;
  r.factory = factory;
  return r;
}

}  // namespace

std::string_view TableLinesOf(std::string_view table, std::string_view op) {
  const size_t begin = LowerBound(table, op);
  size_t end = begin;
  while (end < table.size() && OpAt(table, end) == op) end = NextLine(table, end);
  return table.substr(begin, end - begin);
}

void AddDefaultRows(kernel::KernelRegistry& registry, std::string_view op,
                    const kernel::KernelFactory& factory) {
  StatusOr<op::KernelCatalog> rows =
      op::KernelCatalog::Parse(TableLinesOf(op::TensorFlowKernelTable(), op));
  if (!rows.ok()) Die(op, Message(rows.status()));
  for (const op::KernelRow* row : rows->All()) {
    if (row->device_type == "DEFAULT") registry.Add(FromRow(*row, factory));
  }
}

void TableKernels::Add(std::string_view op, const kernel::KernelFactory& factory) {
  AddRows(op, factory, /*any_device=*/true);
}

void TableKernels::AddForCpu(std::string_view op, const kernel::KernelFactory& factory) {
  AddRows(op, factory, /*any_device=*/false);
}

void TableKernels::AddRows(std::string_view op, const kernel::KernelFactory& factory,
                           bool any_device) {
  const std::string_view lines = TableLinesOf(table_, op);
  if (lines.empty()) Die(op, "the kernel table does not have it");
  StatusOr<op::KernelCatalog> rows = op::KernelCatalog::Parse(lines);
  if (!rows.ok()) Die(op, Message(rows.status()));
  for (const op::KernelRow* row : rows->All()) {
    if (row->device_type != "CPU" && (row->device_type == "GPU" || !any_device)) continue;
    registry_.Add(FromRow(*row, factory));
  }
}

}  // namespace rheo::ops
