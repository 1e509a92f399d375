#include "rheo/rpc/memory_offers.h"

#include <unistd.h>

#include <array>
#include <utility>
#include <vector>

#include "rheo/rpc/memory_reader.h"

namespace rheo::rpc {

struct MemoryOffers::Entry {
  rendezvous::Item item;
  std::chrono::steady_clock::time_point since;
  // Read by other processes. Wiped before `item` may go.
  std::array<std::atomic<char>, kMarkBytes> mark;

  ~Entry() {
    for (std::atomic<char>& c : mark) c.store(0, std::memory_order_seq_cst);
  }
};

MemoryOffers::MemoryOffers() = default;
MemoryOffers::~MemoryOffers() = default;

std::optional<wire::MemoryOffer> MemoryOffers::Offer(RequestId id, const wire::MemoryReader& reader,
                                                     const rendezvous::Item& item) {
  if (reader.host.empty() || reader.mark.size() != kMarkBytes || id.value == 0 || item.is_dead ||
      !IsPlainData(item.tensor.dtype()) || item.tensor.num_bytes() < kMinBytes ||
      reader.host != MemoryHost()) {
    return std::nullopt;
  }
  auto entry = std::make_unique<Entry>();
  entry->item = item;
  entry->since = std::chrono::steady_clock::now();
  for (size_t i = 0; i < kMarkBytes; ++i) entry->mark[i] = reader.mark[i];
  wire::MemoryOffer offer{.process = getpid(),
                          .mark_address = reinterpret_cast<uint64_t>(entry->mark.data()),
                          .address = reinterpret_cast<uint64_t>(item.tensor.data()),
                          .dtype = item.tensor.dtype(),
                          .shape = item.tensor.shape()};
  DropOld(entry->since);
  MutexLock lock(mutex_);
  entries_.insert_or_assign(id, std::move(entry));
  return offer;
}

std::optional<rendezvous::Item> MemoryOffers::Withdraw(RequestId id) {
  std::unique_ptr<Entry> entry;
  {
    MutexLock lock(mutex_);
    const auto it = entries_.find(id);
    if (it == entries_.end()) return std::nullopt;
    entry = std::move(it->second);
    entries_.erase(it);
  }
  return std::move(entry->item);
}

void MemoryOffers::DropOld(std::chrono::steady_clock::time_point now) {
  std::vector<std::unique_ptr<Entry>> old;  // destroyed without the lock
  MutexLock lock(mutex_);
  for (auto it = entries_.begin(); it != entries_.end();) {
    if (now - it->second->since > kLifetime) {
      old.push_back(std::move(it->second));
      entries_.erase(it++);
    } else {
      ++it;
    }
  }
  lock.Unlock();
}

}  // namespace rheo::rpc
