#include "rheo/ops/data_flow/staging_attrs.h"

#include <utility>

namespace rheo::ops {

StatusOr<StagingAttrs> ReadStagingAttrs(const kernel::KernelInit& init) {
  StagingAttrs attrs;
  attrs.node = init.node_name;
  RHEO_ASSIGN_OR_RETURN(attrs.where, ReadResourceName(init, Unnamed::kNodeName));
  RHEO_ASSIGN_OR_RETURN(attrs.spec.capacity, init.attrs.Get<int64_t>("capacity"));
  RHEO_ASSIGN_OR_RETURN(attrs.spec.memory_limit, init.attrs.Get<int64_t>("memory_limit"));
  RHEO_ASSIGN_OR_RETURN(attrs.dtypes, init.attrs.Get<std::vector<DType>>("dtypes"));
  return attrs;
}

Status SetStaged(kernel::KernelContext& context, int first, Tuple tuple) {
  if (static_cast<int>(tuple.size()) != context.num_outputs() - first) {
    return InvalidArgument("Mismatch stage/unstage: {} vs. {}", tuple.size(),
                           context.num_outputs() - first);
  }
  for (size_t i = 0; i < tuple.size(); ++i) {
    const int output = first + static_cast<int>(i);
    if (tuple[i].dtype() != context.output_type(output)) {
      return InvalidArgument("the staged tensor {} is {}, not {}", i, DTypeName(tuple[i].dtype()),
                             DTypeName(context.output_type(output)));
    }
    context.set_output(output, std::move(tuple[i]));
  }
  return OkStatus();
}

}  // namespace rheo::ops
