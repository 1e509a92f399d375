#include "rheo/ops/common/resource_name.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace rheo::ops {
namespace {

bool IsValidContainer(std::string_view container) {
  if (container.empty()) return true;
  const auto may_start = [](char c) { return absl::ascii_isalnum(c) || c == '.'; };
  return may_start(container.front()) && std::ranges::all_of(container, [&](char c) {
           return may_start(c) || c == '-' || c == '/';
         });
}

}  // namespace

StatusOr<ResourceName> ReadResourceName(const kernel::KernelInit& init, Unnamed unnamed) {
  ResourceName result;
  RHEO_ASSIGN_OR_RETURN(result.container, init.attrs.Get<std::string>("container"));
  RHEO_ASSIGN_OR_RETURN(result.name, init.attrs.Get<std::string>("shared_name"));
  if (!IsValidContainer(result.container)) {
    return InvalidArgument("container contains invalid characters: {}", result.container);
  }
  if (result.name.starts_with('_')) {
    return InvalidArgument("shared_name cannot start with '_':{}", result.name);
  }
  if (!result.name.empty()) return result;
  if (unnamed == Unnamed::kNodeName) {
    result.name = init.node_name;
  } else {
    result.name = fmt::format("_{:016x}_{}", RandomUint64(), init.node_name);
    result.is_private = true;
  }
  return result;
}

}  // namespace rheo::ops
