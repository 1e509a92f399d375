// Fingerprint: tells whether two tasks have the same kernels without sending the catalogs.
#ifndef RHEO_OP_CATALOG_FINGERPRINT_H_
#define RHEO_OP_CATALOG_FINGERPRINT_H_

#include <cstdint>

#include "rheo/op/kernel_catalog.h"

namespace rheo::op {

// Equal for equal rows in whatever order, and in practice for nothing else; never 0. Reads all
// rows: about a millisecond for the built-in kernels.
uint64_t Fingerprint(const KernelCatalog& catalog);

}  // namespace rheo::op

#endif  // RHEO_OP_CATALOG_FINGERPRINT_H_
