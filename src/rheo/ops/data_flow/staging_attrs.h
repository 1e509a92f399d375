// What the staging ops have in common: their attrs, and how they find their area.
#ifndef RHEO_OPS_DATA_FLOW_STAGING_ATTRS_H_
#define RHEO_OPS_DATA_FLOW_STAGING_ATTRS_H_

#include <memory>
#include <string>
#include <vector>

#include "rheo/kernel/kernel.h"
#include "rheo/ops/common/resource_name.h"
#include "rheo/ops/data_flow/staging_area.h"

namespace rheo::ops {

struct StagingAttrs {
  std::string node;
  ResourceName where;
  StagingSpec spec;
  std::vector<DType> dtypes;
};
StatusOr<StagingAttrs> ReadStagingAttrs(const kernel::KernelInit& init);

template <typename Area>
StatusOr<std::shared_ptr<Area>> FindStaging(const StagingAttrs& attrs,
                                            const kernel::KernelContext& context) {
  return context.resources().LookupOrCreate<Area>(
      attrs.where.container, attrs.where.name, [&]() -> StatusOr<std::shared_ptr<Area>> {
        return std::make_shared<Area>(attrs.where.name, attrs.spec);
      });
}

// Sets the outputs from `first` on. INVALID_ARGUMENT when the tuple has other components.
Status SetStaged(kernel::KernelContext& context, int first, Tuple tuple);

}  // namespace rheo::ops

#endif  // RHEO_OPS_DATA_FLOW_STAGING_ATTRS_H_
