// Mutex, MutexLock and CondVar: std::mutex with clang's thread-safety attributes, so that the
// compiler checks GUARDED_BY. absl::Mutex is not used (its Debian build has deadlock detection on
// and carries no ThreadSanitizer annotations).
#ifndef RHEO_BASE_MUTEX_H_
#define RHEO_BASE_MUTEX_H_

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define RHEO_TS_(x) __attribute__((x))
#else
#define RHEO_TS_(x)
#endif
#define RHEO_CAPABILITY RHEO_TS_(capability("mutex"))
#define RHEO_SCOPED_CAPABILITY RHEO_TS_(scoped_lockable)
#define RHEO_GUARDED_BY(m) RHEO_TS_(guarded_by(m))
#define RHEO_PT_GUARDED_BY(m) RHEO_TS_(pt_guarded_by(m))
#define RHEO_REQUIRES(...) RHEO_TS_(requires_capability(__VA_ARGS__))
#define RHEO_EXCLUDES(...) RHEO_TS_(locks_excluded(__VA_ARGS__))
#define RHEO_ACQUIRE(...) RHEO_TS_(acquire_capability(__VA_ARGS__))
#define RHEO_RELEASE(...) RHEO_TS_(release_capability(__VA_ARGS__))
#define RHEO_TRY_ACQUIRE(...) RHEO_TS_(try_acquire_capability(__VA_ARGS__))
#define RHEO_NO_THREAD_SAFETY_ANALYSIS RHEO_TS_(no_thread_safety_analysis)

namespace rheo {

class RHEO_CAPABILITY Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() RHEO_ACQUIRE() { mutex_.lock(); }
  void unlock() RHEO_RELEASE() { mutex_.unlock(); }
  bool try_lock() RHEO_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

// Holds `mutex` for its scope; Unlock() may end that early, once.
class RHEO_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) RHEO_ACQUIRE(mutex) : mutex_(&mutex) { mutex.lock(); }
  ~MutexLock() RHEO_RELEASE() {
    if (mutex_ != nullptr) mutex_->unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void Unlock() RHEO_RELEASE() {
    mutex_->unlock();
    mutex_ = nullptr;
  }

 private:
  Mutex* mutex_;
};

// A condition variable over Mutex. Every wait has a deadline or a wake-up that is sure to come.
class CondVar {
 public:
  void NotifyOne() { cv_.notify_one(); }
  void NotifyAll() { cv_.notify_all(); }

  template <typename Predicate>
  void Wait(Mutex& mutex, Predicate predicate) RHEO_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    cv_.wait(lock, predicate);
    lock.release();
  }

  // False when `deadline` passed and the predicate is still false.
  template <typename Predicate>
  bool WaitUntil(Mutex& mutex, std::chrono::steady_clock::time_point deadline, Predicate predicate)
      RHEO_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const bool met = cv_.wait_until(lock, deadline, predicate);
    lock.release();
    return met;
  }

 private:
  std::condition_variable cv_;
};

}  // namespace rheo

#endif  // RHEO_BASE_MUTEX_H_
