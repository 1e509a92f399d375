// ThreadPool: the threads on which ready work runs. Pools are made by the composition root and
// passed in; nothing else of Rheo starts threads (gRPC's own aside).
//
// Hand over only work worth more than about 5 µs: waking a parked thread costs the waker tens of
// microseconds. A task must never wait for another task of the same pool.
#ifndef RHEO_ASYNC_THREAD_POOL_H_
#define RHEO_ASYNC_THREAD_POOL_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"

namespace rheo {

struct ThreadPoolOptions {
  std::string name;     // shows in debuggers, cut to 15 bytes
  int num_threads = 0;  // 0: number of cores
};

class ThreadPool {
 public:
  using Task = absl::AnyInvocable<void()>;

  // Throws std::system_error, as std::thread does, when the system has no more threads; none stays.
  explicit ThreadPool(ThreadPoolOptions options);
  // Runs what was scheduled, then joins the threads.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Runs `task` once on some thread of the pool. Never blocks; thread-safe.
  void Schedule(Task task);

  // Calls `body(begin, end)` for disjoint ranges that cover [0, total), on this thread and the
  // pool's, and returns when all are done. `cost_ns` is the estimated time for one unit in
  // nanoseconds; small work stays on the calling thread. Safe from inside a pool thread.
  void ParallelFor(int64_t total, int64_t cost_ns,
                   absl::FunctionRef<void(int64_t begin, int64_t end)> body);

  int num_threads() const;

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace rheo

#endif  // RHEO_ASYNC_THREAD_POOL_H_
