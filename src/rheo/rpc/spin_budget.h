// SpinBudget: how long a thread looks for what comes next before it sleeps.
//
// Waking a sleeping thread on another core takes 50 to 100 µs on virtual machines, often longer
// than the answer to a call itself. So a thread that has just sent a call, or has answered a caller
// who will soon ask again, may look again and again for a short while; only as long as that pays,
// and not where it takes the core from somebody who needs it.
#ifndef RHEO_RPC_SPIN_BUDGET_H_
#define RHEO_RPC_SPIN_BUDGET_H_

#include <chrono>
#include <cstdint>

namespace rheo::rpc {

// Not thread-safe: belongs to whoever polls.
class SpinBudget {
 public:
  using Nanos = std::chrono::nanoseconds;

  // For answers to calls.
  SpinBudget() = default;
  // `first` is the time of a first spin, `most` that of the longest.
  SpinBudget(Nanos first, Nanos most) : first_(first), most_(most) {}

  // The time to spin now; zero: sleep at once.
  Nanos Take();

  // What became of a spin: something came after `waited`, or it did not within the budget.
  void Hit(Nanos waited);
  void Miss();
  // Somebody else needed the core for long meanwhile.
  void Preempted();

 private:
  static constexpr Nanos kLeast{20'000};
  // So many misses in a row lead to a rest. One is usual: the last call of many has no successor,
  // and the next after a pause takes long, since everybody on its way has slept.
  static constexpr int kTries = 4;
  // Spins to let pass before the next try; four times as many each time that it fails again.
  static constexpr int kFirstPause = 64;
  static constexpr int kLongestPause = 1024;

  void Rest();

  const Nanos first_{100'000};
  const Nanos most_{200'000};
  Nanos budget_ = first_;
  int pause_ = kFirstPause;
  int to_skip_ = 0;
  int misses_ = 0;  // since the last hit or rest
};

inline SpinBudget::Nanos SpinBudget::Take() {
  if (to_skip_ == 0) return budget_;
  if (--to_skip_ == 0) budget_ = first_;
  return Nanos(0);
}

inline void SpinBudget::Hit(Nanos waited) {
  // Twice what it took, so that an answer that takes a little longer is still met.
  pause_ = kFirstPause;
  misses_ = 0;
  budget_ = waited * 2 < kLeast ? kLeast : waited * 2 > most_ ? most_ : waited * 2;
}

inline void SpinBudget::Miss() {
  if (++misses_ == kTries) return Rest();
  if (budget_ < first_) budget_ = first_;
}

inline void SpinBudget::Preempted() { Rest(); }

inline void SpinBudget::Rest() {
  misses_ = 0;
  to_skip_ = pause_;
  pause_ = pause_ * 4 < kLongestPause ? pause_ * 4 : kLongestPause;
}

}  // namespace rheo::rpc

#endif  // RHEO_RPC_SPIN_BUDGET_H_
