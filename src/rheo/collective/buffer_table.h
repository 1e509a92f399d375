// BufferTable: the pieces that the members of a step's collectives on this task have for others.
#ifndef RHEO_COLLECTIVE_BUFFER_TABLE_H_
#define RHEO_COLLECTIVE_BUFFER_TABLE_H_

#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "rheo/async/notification.h"
#include "rheo/async/stop.h"
#include "rheo/base/mutex.h"
#include "rheo/base/status.h"
#include "rheo/base/string_map.h"
#include "rheo/collective/outcome.h"
#include "rheo/tensor/tensor.h"

namespace rheo::collective {

// Thread-safe. Each key has one piece and one taker, who may come first. Callbacks run once, never
// under a lock, perhaps inside the call.
class BufferTable {
 public:
  BufferTable() = default;
  // Aborts with CANCELLED (derived).
  ~BufferTable();

  using TakeCallback = absl::AnyInvocable<void(StatusOr<Tensor>)>;

  // `taken` runs with OK once somebody has taken the piece, else with the abort's status.
  void Offer(const std::string& key, Tensor piece, DoneCallback taken);
  // CANCELLED (derived) once `stop` fires.
  void Take(const std::string& key, StopToken stop, TakeCallback done);

  // Ends whatever waits, now and later, with `status` (not OK). Only the first abort counts.
  void Abort(const Status& status);
  // Calls `on_abort` once when the table is aborted, inside this call when it is already. Not
  // called any more after Unwatch returned, unless it runs at that moment.
  uint64_t Watch(DoneCallback on_abort);
  void Unwatch(uint64_t id);

 private:
  struct Offered {
    Tensor piece;
    DoneCallback taken;
  };

  Mutex mutex_;
  Status aborted_ RHEO_GUARDED_BY(mutex_);
  StringMap<Offered> offered_ RHEO_GUARDED_BY(mutex_);
  StringMap<std::shared_ptr<Outcome<Tensor>>> wanted_ RHEO_GUARDED_BY(mutex_);
  uint64_t last_watch_ RHEO_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<uint64_t, DoneCallback> watches_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::collective

#endif  // RHEO_COLLECTIVE_BUFFER_TABLE_H_
