// RawSession: many steps of one session at once, without a thread for each.
#ifndef RHEO_BENCH_RAW_SESSION_H_
#define RHEO_BENCH_RAW_SESSION_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "rheo/base/mutex.h"
#include "rheo/client.h"

namespace rheo::bench {

// How steps ended.
struct Endings {
  int64_t ok = 0;
  int64_t cancelled = 0;
  Status other;  // the first end that was neither
};

// Thread-safe but for opening and destruction, which waits for the steps.
class RawSession {
 public:
  static StatusOr<std::unique_ptr<RawSession>> Open(const std::string& target, const Scope& g);
  ~RawSession();

  // One step of `target` and, if it is not empty, `fetch`; waits for it and gives what was fetched.
  StatusOr<Tensor> Run(const Operation& target, const Output& fetch = {});
  // Starts a step of `target`; returns at once.
  void Start(const Operation& target, StopToken stop = {});
  // DEADLINE_EXCEEDED with the number of steps that have not ended by then.
  StatusOr<Endings> Await(std::chrono::seconds timeout);
  // Cancels the steps that run.
  Status Close();

 private:
  struct Step;
  RawSession(std::shared_ptr<service::MasterService> master, SessionHandle handle)
      : master_(std::move(master)), handle_(std::move(handle)) {}
  void Ended(const Status& status);

  const std::shared_ptr<service::MasterService> master_;
  const SessionHandle handle_;
  Mutex mutex_;
  CondVar ended_;
  int64_t num_running_ RHEO_GUARDED_BY(mutex_) = 0;
  Endings endings_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::bench

#endif  // RHEO_BENCH_RAW_SESSION_H_
