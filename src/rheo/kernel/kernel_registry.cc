#include "rheo/kernel/kernel_registry.h"

#include <utility>

namespace rheo::kernel {
namespace {

// Text for an error: the attrs that choose a kernel.
std::string DescribeAttrs(const op::AttrMap& attrs) {
  std::string text;
  for (const auto& [name, value] : attrs) {
    if (value.As<DType>() == nullptr) continue;
    if (!text.empty()) text += ", ";
    text += name + '=' + value.ToString();
  }
  return text;
}

}  // namespace

void KernelRegistry::Add(KernelRegistration registration) {
  op::KernelRow row;
  row.op = std::move(registration.op);
  row.device_type = std::move(registration.device_type);
  row.constraints = std::move(registration.constraints);
  for (auto& [attr, dtypes] : registration.types) {
    op::AttrConstraint constraint{.attr = attr};
    for (const DType dtype : dtypes) constraint.allowed.emplace_back(dtype);
    row.constraints.push_back(std::move(constraint));
  }
  row.host_memory_args = std::move(registration.host_memory_args);
  row.label = std::move(registration.label);
  row.priority = registration.priority;
  const op::KernelRow* added = catalog_.Add(std::move(row));
  factories_.emplace(added, std::move(registration.factory));
}

StatusOr<std::unique_ptr<Kernel>> KernelRegistry::Create(const KernelInit& init) const {
  const std::string& type = init.device.info().type;
  const op::KernelRow* row = Find(init.schema.name, type, init.attrs);
  if (row == nullptr) {
    return NotFound(
        "No registered '{}' OpKernel for '{}' devices compatible with node {{{{node {}}}}} ({}); "
        "registered: {}",
        init.schema.name, type, init.node_name, DescribeAttrs(init.attrs),
        catalog_.Describe(init.schema.name));
  }
  StatusOr<std::unique_ptr<Kernel>> made = factories_.at(row)(init);
  if (!made.ok()) {
    return Append(made.status(), fmt::format("\n\t [[{{{{node {}}}}}]]", init.node_name));
  }
  return made;
}

StatusOr<MemoryKinds> ResolveMemoryKinds(const op::OpSchema& schema, const op::AttrMap& attrs,
                                         const op::NodeTypes& types, const op::KernelRow* row) {
  const auto always_host = [](DType t) {
    const DType base = RemoveRef(t);
    return base == DType::kString || base == DType::kResource || base == DType::kVariant;
  };
  MemoryKinds kinds;
  for (const DType t : types.inputs) kinds.host_inputs.push_back(always_host(t));
  for (const DType t : types.outputs) kinds.host_outputs.push_back(always_host(t));
  if (row == nullptr || row->host_memory_args.empty()) return kinds;
  const auto mark = [&](const std::vector<op::ArgSpec>& args, std::vector<bool>& flags) -> Status {
    RHEO_ASSIGN_OR_RETURN(const std::vector<op::ArgRange> ranges, op::ResolveRanges(args, attrs));
    for (size_t a = 0; a < args.size(); ++a) {
      for (const std::string& name : row->host_memory_args) {
        if (name != args[a].name) continue;
        for (int i = ranges[a].begin; i < ranges[a].end; ++i) flags[static_cast<size_t>(i)] = true;
      }
    }
    return OkStatus();
  };
  RHEO_RETURN_IF_ERROR(mark(schema.inputs, kinds.host_inputs));
  RHEO_RETURN_IF_ERROR(mark(schema.outputs, kinds.host_outputs));
  return kinds;
}

}  // namespace rheo::kernel
