// The receiver's side of memory offers (wire/memory_offer.h).
#ifndef RHEO_RPC_MEMORY_READER_H_
#define RHEO_RPC_MEMORY_READER_H_

#include <string>

#include "rheo/base/status.h"
#include "rheo/wire/memory_offer.h"

namespace rheo::rpc {

inline constexpr size_t kMarkBytes = 16;

// What the processes share that may read each other's memory: the running kernel, the user and the
// space of process ids. "" when that cannot be told.
const std::string& MemoryHost();

// Of random bytes; never the same twice.
std::string NewMark();

// The offered value. UNAVAILABLE when the memory cannot be read, or the offer was withdrawn
// meanwhile.
StatusOr<Tensor> ReadOffered(const wire::MemoryOffer& offer, const std::string& mark);

}  // namespace rheo::rpc

#endif  // RHEO_RPC_MEMORY_READER_H_
