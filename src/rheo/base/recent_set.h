// RecentSet: the last so many values that were put in.
#ifndef RHEO_BASE_RECENT_SET_H_
#define RHEO_BASE_RECENT_SET_H_

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace rheo {

// Not thread-safe.
template <typename T>
class RecentSet {
 public:
  explicit RecentSet(size_t capacity) : capacity_(capacity) {}

  bool Contains(const T& value) const { return known_.contains(value); }

  // False when `value` is there already; its age stays then. A new one takes the place of the
  // oldest once the set is full.
  bool Insert(const T& value) {
    if (!known_.insert(value).second) return false;
    if (ring_.size() < capacity_) {
      ring_.push_back(value);
      return true;
    }
    known_.erase(ring_[oldest_]);
    ring_[oldest_] = value;
    oldest_ = (oldest_ + 1) % capacity_;
    return true;
  }

  // The value's place stays taken, so that it may be forgotten early if it is put in again.
  void Erase(const T& value) { known_.erase(value); }

 private:
  const size_t capacity_;
  absl::flat_hash_set<T> known_;
  std::vector<T> ring_;
  size_t oldest_ = 0;
};

}  // namespace rheo

#endif  // RHEO_BASE_RECENT_SET_H_
