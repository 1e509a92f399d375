#include "rheo/async/thread_pool.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <system_error>
#include <thread>
#include <vector>

#include "rheo/base/mutex.h"

namespace rheo {
namespace {

// Below this much estimated work a range is not worth handing to another thread.
constexpr int64_t kMinShardNanos = 20'000;

}  // namespace

class ThreadPool::Impl {
 public:
  explicit Impl(ThreadPoolOptions options) {
    int count = options.num_threads;
    if (count <= 0) count = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const std::string name = options.name.substr(0, 15);
    try {
      for (int i = 0; i < count; ++i) {
        threads_.emplace_back([this, name] {
          pthread_setname_np(pthread_self(), name.c_str());
          Work();
        });
      }
    } catch (const std::system_error& e) {
      const size_t started = threads_.size();
      Stop();
      throw std::system_error(
          e.code(), fmt::format("cannot start thread {} of {} of '{}'", started + 1, count, name));
    }
  }

  ~Impl() { Stop(); }

  void Schedule(Task task) {
    bool wake = false;
    {
      MutexLock lock(mutex_);
      tasks_.push_back(std::move(task));
      wake = sleepers_ > 0;
    }
    if (wake) cv_.NotifyOne();
  }

  int num_threads() const { return static_cast<int>(threads_.size()); }

 private:
  void Stop() {
    {
      MutexLock lock(mutex_);
      stopping_ = true;
      cv_.NotifyAll();
    }
    for (std::thread& thread : threads_) thread.join();
  }

  void Work() {
    while (true) {
      Task task;
      {
        MutexLock lock(mutex_);
        ++sleepers_;
        cv_.Wait(mutex_,
                 [this]() RHEO_NO_THREAD_SAFETY_ANALYSIS { return !tasks_.empty() || stopping_; });
        --sleepers_;
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      std::move(task)();
    }
  }

  Mutex mutex_;
  CondVar cv_;
  std::deque<Task> tasks_ RHEO_GUARDED_BY(mutex_);
  int sleepers_ RHEO_GUARDED_BY(mutex_) = 0;
  bool stopping_ RHEO_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

ThreadPool::ThreadPool(ThreadPoolOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
ThreadPool::~ThreadPool() = default;

void ThreadPool::Schedule(Task task) { impl_->Schedule(std::move(task)); }
int ThreadPool::num_threads() const { return impl_->num_threads(); }

void ThreadPool::ParallelFor(int64_t total, int64_t cost_ns,
                             absl::FunctionRef<void(int64_t, int64_t)> body) {
  if (total <= 0) return;
  const int64_t work = total * std::max<int64_t>(cost_ns, 1);
  const int64_t shards =
      std::min<int64_t>({total, work / kMinShardNanos, int64_t{4} * num_threads()});
  if (shards <= 1) {
    body(0, total);
    return;
  }
  // Shared with helpers that may start only after everything is done; they then find no shard left
  // and never touch `body`.
  struct State {
    std::atomic<int64_t> next{0};  // shards handed out
    std::atomic<int64_t> left;     // shards unfinished
    Mutex mutex;
    CondVar cv;
  };
  auto state = std::make_shared<State>();
  state->left = shards;
  const int64_t block = (total + shards - 1) / shards;
  auto run = [state, shards, block, total, body] {
    for (int64_t i; (i = state->next.fetch_add(1)) < shards;) {
      const int64_t begin = i * block;
      const int64_t end = std::min(total, begin + block);
      if (begin < end) body(begin, end);
      if (state->left.fetch_sub(1) == 1) {
        MutexLock lock(state->mutex);
        state->cv.NotifyAll();
      }
    }
  };
  const int64_t helpers = std::min<int64_t>(shards - 1, num_threads());
  for (int64_t i = 0; i < helpers; ++i) Schedule(run);
  run();
  MutexLock lock(state->mutex);
  state->cv.Wait(state->mutex, [&] { return state->left.load() == 0; });
}

}  // namespace rheo
