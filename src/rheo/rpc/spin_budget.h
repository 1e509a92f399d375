// SpinBudget: how long a thread looks for the answer to a call before it sleeps.
//
// Waking a sleeping thread on another core takes 50 to 100 µs on virtual machines, often longer
// than the answer itself. So a thread that has just sent a call may look again and again for a
// short while; only as long as that pays, and not where it takes the core from somebody who needs
// it.
#ifndef RHEO_RPC_SPIN_BUDGET_H_
#define RHEO_RPC_SPIN_BUDGET_H_

#include <chrono>
#include <cstdint>

namespace rheo::rpc {

// Not thread-safe: belongs to whoever polls.
class SpinBudget {
 public:
  using Nanos = std::chrono::nanoseconds;

  // The time to spin for the call that was just sent; zero: sleep at once.
  Nanos Take();

  // What became of a spin: the answer came after `waited`, or it did not within the budget.
  void Hit(Nanos waited);
  void Miss();
  // The system gave the core to somebody else meanwhile.
  void Preempted();

 private:
  static constexpr Nanos kFirst{100'000};
  static constexpr Nanos kMost{200'000};
  static constexpr Nanos kLeast{20'000};
  // Calls to let pass before the next try; four times as many each time that it fails again.
  static constexpr int kFirstPause = 64;
  static constexpr int kLongestPause = 1024;

  void Rest();

  Nanos budget_ = kFirst;
  int pause_ = kFirstPause;
  int calls_to_skip_ = 0;
};

inline SpinBudget::Nanos SpinBudget::Take() {
  if (calls_to_skip_ == 0) return budget_;
  if (--calls_to_skip_ == 0) budget_ = kFirst;
  return Nanos(0);
}

inline void SpinBudget::Hit(Nanos waited) {
  // Twice what it took, so that an answer that takes a little longer is still met.
  pause_ = kFirstPause;
  budget_ = waited * 2 < kLeast ? kLeast : waited * 2 > kMost ? kMost : waited * 2;
}

inline void SpinBudget::Miss() {
  budget_ /= 2;
  if (budget_ < kLeast) Rest();
}

inline void SpinBudget::Preempted() { Rest(); }

inline void SpinBudget::Rest() {
  calls_to_skip_ = pause_;
  pause_ = pause_ * 4 < kLongestPause ? pause_ * 4 : kLongestPause;
}

}  // namespace rheo::rpc

#endif  // RHEO_RPC_SPIN_BUDGET_H_
