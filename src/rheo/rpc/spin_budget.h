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
  // Spins to let pass before the next try; four times as many each time that it fails again.
  static constexpr int kFirstPause = 64;
  static constexpr int kLongestPause = 1024;

  void Rest();

  const Nanos first_{100'000};
  const Nanos most_{200'000};
  Nanos budget_ = first_;
  int pause_ = kFirstPause;
  int to_skip_ = 0;
};

inline SpinBudget::Nanos SpinBudget::Take() {
  if (to_skip_ == 0) return budget_;
  if (--to_skip_ == 0) budget_ = first_;
  return Nanos(0);
}

inline void SpinBudget::Hit(Nanos waited) {
  // Twice what it took, so that an answer that takes a little longer is still met.
  pause_ = kFirstPause;
  budget_ = waited * 2 < kLeast ? kLeast : waited * 2 > most_ ? most_ : waited * 2;
}

inline void SpinBudget::Miss() {
  budget_ /= 2;
  if (budget_ < kLeast) Rest();
}

inline void SpinBudget::Preempted() { Rest(); }

inline void SpinBudget::Rest() {
  to_skip_ = pause_;
  pause_ = pause_ * 4 < kLongestPause ? pause_ * 4 : kLongestPause;
}

}  // namespace rheo::rpc

#endif  // RHEO_RPC_SPIN_BUDGET_H_
