// Kernel catalogs, which Rheo tasks tell each other.
#ifndef RHEO_WIRE_CATALOG_CODEC_H_
#define RHEO_WIRE_CATALOG_CODEC_H_

#include "rheo/base/status.h"
#include "rheo/op/kernel_catalog.h"
#include "rheo/wire/decode_context.h"
#include "rheo/wire/proto/service.pb.h"

namespace rheo::wire {

// INVALID_ARGUMENT for a constraint that makes no sense.
StatusOr<op::KernelCatalog> CatalogFromProto(tensorflow::RheoTaskInfo& proto,
                                             DecodeContext& context);
void CatalogToProto(const op::KernelCatalog& catalog, tensorflow::RheoTaskInfo& proto);

}  // namespace rheo::wire

#endif  // RHEO_WIRE_CATALOG_CODEC_H_
