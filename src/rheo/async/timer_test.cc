#include "rheo/async/timer.h"

#include <gtest/gtest.h>

#include <vector>

#include "rheo/async/notification.h"

namespace rheo {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST(TimerQueueTest, RunsInOrderOfTimeAndNotBefore) {
  TimerQueue timers;
  std::vector<int> order;
  Notification done;
  const auto start = steady_clock::now();
  timers.Add(start + milliseconds(20), [&] {
    order.push_back(2);
    EXPECT_GE(steady_clock::now(), start + milliseconds(20));
    done.Notify();
  });
  timers.Add(start + milliseconds(5), [&] { order.push_back(1); });
  done.Wait();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(TimerQueueTest, CancelledTimerDoesNotRun) {
  TimerQueue timers;
  bool ran = false;
  Notification done;
  const auto now = steady_clock::now();
  const TimerQueue::Id id = timers.Add(now + milliseconds(10), [&] { ran = true; });
  EXPECT_TRUE(timers.Cancel(id));
  EXPECT_FALSE(timers.Cancel(id));
  timers.Add(now + milliseconds(15), [&] { done.Notify(); });
  done.Wait();
  EXPECT_FALSE(ran);
}

TEST(TimerQueueTest, DestructionForgetsPendingTimers) {
  bool ran = false;
  {
    TimerQueue timers;
    timers.Add(steady_clock::now() + std::chrono::hours(1), [&] { ran = true; });
  }
  EXPECT_FALSE(ran);
}

TEST(TimerQueueTest, CallbackMayAddTimers) {
  TimerQueue timers;
  Notification done;
  timers.Add(steady_clock::now(),
             [&] { timers.Add(steady_clock::now() + milliseconds(1), [&] { done.Notify(); }); });
  done.Wait();
}

}  // namespace
}  // namespace rheo
