// Waiters: the ops that wait for a resource (queue, barrier, accumulator, …) without a thread.
//
// An op brings an attempt. It runs under the resource's lock, at once and again after each change
// of the resource, until it says that it is done; then its callback runs, outside the lock, on the
// thread that made the change. A stopped op leaves its line and gives back what it has taken.
#ifndef RHEO_KERNEL_WAITERS_H_
#define RHEO_KERNEL_WAITERS_H_

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "rheo/async/notification.h"
#include "rheo/async/stop.h"
#include "rheo/base/ids.h"
#include "rheo/base/mutex.h"
#include "rheo/kernel/resource_manager.h"

namespace rheo::kernel {

// Who calls: the step and the node, for lists and for stopping.
struct OpCall {
  StepId step;
  std::string node;
  StopToken stop;
};

// Thread-safe. A member of the resource, which is alive while an op waits (Attempt::owner).
class Waiters {
 public:
  // Who of a line may be served: only its first, or whoever can be.
  enum class Order { kFirst, kAny };
  enum class Progress {
    kNone,  // nothing changed
    kSome,  // the resource changed, but the op goes on waiting
    kDone,
  };

  struct Attempt {
    std::shared_ptr<void> owner;
    OpCall call;
    std::string waits_for;
    // Under the lock. `status` is what the op ends with.
    absl::AnyInvocable<Progress(Status& status)> run;
    // Under the lock, when the op is stopped: puts back what it has taken. May be null.
    absl::AnyInvocable<void()> give_back;
    // The text of the CANCELLED error of a stopped op.
    std::string stopped = "the operation was cancelled";
    DoneCallback done;
  };

  // `mutex` is the resource's lock; one line for each entry of `lines`.
  Waiters(Mutex& mutex, const std::vector<Order>& lines);
  ~Waiters();

  // Runs the attempt, now or when it is its turn. `done` may run inside this call.
  void Start(size_t line, Attempt attempt);

  // Changes the resource by `change`, under the lock, and serves whoever can be served then.
  void Change(absl::FunctionRef<void()> change);

  // Ends all ops of a line with `status`; only from within `change`.
  void EndAll(size_t line, const Status& status);

  // For `run` functions: true when somebody waits in the line.
  bool AnyIn(size_t line) const { return !lines_[line].waiting.empty(); }

  // Takes the lock.
  std::vector<BlockedOp> List() const;

 private:
  struct Waiter;
  using WaiterRef = std::shared_ptr<Waiter>;
  struct Line {
    Order order;
    std::list<WaiterRef> waiting;
  };

  // ---- Under the lock
  bool ServeLine(Line& line);
  void Serve();
  // ---- Outside the lock
  static void Finish(std::vector<WaiterRef> ended);
  void Stop(size_t line, const std::weak_ptr<Waiter>& weak);

  Mutex& mutex_;
  // All guarded by the lock.
  std::vector<Line> lines_;
  std::vector<WaiterRef> ended_;
};

}  // namespace rheo::kernel

#endif  // RHEO_KERNEL_WAITERS_H_
