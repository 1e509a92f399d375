#include "rheo/op/catalog_fingerprint.h"

#include <string>

#include "rheo/base/hash.h"

namespace rheo::op {
namespace {

// Each piece ends with a byte that no name holds.
constexpr char kEnd = '\0';

std::string Identity(const KernelRow& row) {
  std::string text = row.op + kEnd + row.device_type + kEnd + row.label + kEnd;
  for (const AttrConstraint& constraint : row.constraints) {
    text += constraint.attr + kEnd;
    for (const AttrValue& value : constraint.allowed) text += value.ToString() + kEnd;
    text += kEnd;
  }
  for (const std::string& arg : row.host_memory_args) text += arg + kEnd;
  return text + kEnd + std::to_string(row.priority);
}

}  // namespace

uint64_t Fingerprint(const KernelCatalog& catalog) {
  uint64_t sum = 0;  // addition makes the order immaterial
  for (const KernelRow* row : catalog.All()) sum += Hash64(Identity(*row));
  return sum == 0 ? 1 : sum;
}

}  // namespace rheo::op
