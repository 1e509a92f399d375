// Puts the methods of the two services into a method table: decode, call, encode.
#ifndef RHEO_RPC_SERVICE_METHODS_H_
#define RHEO_RPC_SERVICE_METHODS_H_

#include "rheo/rpc/method_table.h"
#include "rheo/service/master_service.h"
#include "rheo/service/worker_service.h"
#include "rheo/wire/variant_decoders.h"

namespace rheo::rpc {

class MemoryOffers;

// The services outlive the table and every call that came through it. A request that does not parse
// is answered INTERNAL "Unable to parse request" and never reaches the service.
// `variants` reads the variants in requests; null: they stay opaque. It too outlives the table.
void AddMasterMethods(MethodTable& table, service::MasterService& master,
                      const wire::VariantDecoders* variants = nullptr);
// `offers` holds large values that receivers on this host read by themselves; it outlives the
// table.
void AddWorkerMethods(MethodTable& table, service::WorkerService& worker, MemoryOffers& offers,
                      const wire::VariantDecoders* variants = nullptr);

}  // namespace rheo::rpc

#endif  // RHEO_RPC_SERVICE_METHODS_H_
