// The sender's side of memory offers (wire/memory_offer.h): values that receivers may read from
// this process's memory.
#ifndef RHEO_RPC_MEMORY_OFFERS_H_
#define RHEO_RPC_MEMORY_OFFERS_H_

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "rheo/base/mutex.h"
#include "rheo/wire/memory_offer.h"

namespace rheo::rpc {

// Thread-safe.
class MemoryOffers {
 public:
  // Smaller values travel as bytes: reading another process costs a second message.
  static constexpr size_t kMinBytes = 256 << 10;
  // An offer that nobody has taken for this long is withdrawn.
  static constexpr std::chrono::seconds kLifetime{60};

  MemoryOffers();
  ~MemoryOffers();

  // The offer of `item` to the receiver of request `id`; nullopt when it must travel as bytes: the
  // receiver is on another host or takes none, or the value is small, dead or no plain data.
  std::optional<wire::MemoryOffer> Offer(RequestId id, const wire::MemoryReader& reader,
                                         const rendezvous::Item& item);

  // Takes back the offer to request `id`. Nullopt when there is none.
  std::optional<rendezvous::Item> Withdraw(RequestId id);

 private:
  struct Entry;

  void DropOld(std::chrono::steady_clock::time_point now);

  Mutex mutex_;
  absl::flat_hash_map<RequestId, std::unique_ptr<Entry>> entries_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_MEMORY_OFFERS_H_
