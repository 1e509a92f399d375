// BufferTable: the pieces that the members of a step's collectives on this task have for others.
#ifndef RHEO_COLLECTIVE_BUFFER_TABLE_H_
#define RHEO_COLLECTIVE_BUFFER_TABLE_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "rheo/async/notification.h"
#include "rheo/async/stop.h"
#include "rheo/base/mutex.h"
#include "rheo/base/status.h"
#include "rheo/base/string_map.h"
#include "rheo/collective/outcome.h"
#include "rheo/tensor/tensor.h"

namespace rheo::collective {

// A piece that a member wants of another one.
struct Wanted {
  std::string key;
  std::string from;  // the device that gives it
  std::string to;
  int64_t num_bytes = 0;
  std::string terms;  // of the member that wants it; empty: TensorFlow's do not say
};

// Thread-safe. Each key has one piece and one taker, who may come first. Callbacks run once, never
// under a lock, perhaps inside the call.
//
// Members of one instance do the same. A member on this task says what it does ("terms"), and those
// of other tasks say it with each piece that they want: where two differ the table is aborted with
// INVALID_ARGUMENT, which names both.
class BufferTable {
 public:
  BufferTable() = default;
  // Aborts with CANCELLED (derived).
  ~BufferTable();

  using TakeCallback = absl::AnyInvocable<void(StatusOr<Tensor>)>;

  // `taken` runs with OK once somebody has taken the piece, else with the abort's status.
  void Offer(const std::string& key, Tensor piece, DoneCallback taken);
  // CANCELLED (derived) once `stop` fires.
  void Take(const Wanted& wanted, StopToken stop, TakeCallback done);

  // A member takes part in an instance from now on. One that `gives_nothing`, since its value is
  // empty, has no pieces for others.
  void Join(const std::string& instance, const std::string& device, const std::string& terms,
            bool gives_nothing);
  // It has no more pieces, and wants none.
  void Leave(const std::string& instance, const std::string& device);

  // Ends whatever waits, now and later, with `status` (not OK), which to others is a consequence:
  // derived. Only the first abort counts.
  void Abort(const Status& status) { End(AsDerived(status)); }
  // Calls `on_abort` once when the table is aborted, inside this call when it is already. Not
  // called any more after Unwatch returned, unless it runs at that moment.
  uint64_t Watch(DoneCallback on_abort);
  void Unwatch(uint64_t id);

  // What members want before its giver is here is compared up to so many; more of them, which come
  // from no honest member, are answered uncompared.
  static constexpr size_t kMaxToCompare = 10'000;

 private:
  struct Offered {
    Tensor piece;
    DoneCallback taken;
  };

  // One on this task, and what others wanted of it before it came.
  struct Member {
    bool is_here = false;
    bool gives_nothing = false;
    std::string terms;
    std::vector<Wanted> wanted;
  };
  static Status Compare(const Member& member, const Wanted& wanted);
  Status Check(const Wanted& wanted) RHEO_REQUIRES(mutex_);
  void End(const Status& status);

  Mutex mutex_;
  Status aborted_ RHEO_GUARDED_BY(mutex_);
  StringMap<Offered> offered_ RHEO_GUARDED_BY(mutex_);
  StringMap<std::shared_ptr<Outcome<Tensor>>> wanted_ RHEO_GUARDED_BY(mutex_);
  // By instance and device.
  std::map<std::pair<std::string, std::string>, Member> members_ RHEO_GUARDED_BY(mutex_);
  size_t num_to_compare_ RHEO_GUARDED_BY(mutex_) = 0;
  uint64_t last_watch_ RHEO_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<uint64_t, DoneCallback> watches_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::collective

#endif  // RHEO_COLLECTIVE_BUFFER_TABLE_H_
