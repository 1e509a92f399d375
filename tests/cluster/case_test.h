// CaseTest: the base of all cases: time limit, clusters whose logs are shown when a case fails.
#ifndef RHEO_TESTS_CLUSTER_CASE_TEST_H_
#define RHEO_TESTS_CLUSTER_CASE_TEST_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <list>
#include <string>
#include <thread>

#include "cluster.h"
#include "rheo/async/notification.h"
#include "rheo/base/sanitizers.h"
#include "rheo/client.h"

namespace rheo::cluster_test {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Whether long cases run in full, as the environment variable RHEO_FULL_CASES asks for; the suite
// has a form of them that is bounded in time.
bool RunsInFull();

// What memory may be, times its limit: sanitizers need more, and keep for a while what was freed.
inline constexpr double kMemorySlack = kSlowdown > 1 ? 10 : 1;
// "Within 10 %".
inline constexpr double kMemoryGrowth = 1.10 * kMemorySlack;

// A case that is not over after its limit (times kSlowdown) ends the whole program, its logs shown.
class CaseTest : public testing::Test {
 protected:
  explicit CaseTest(std::chrono::seconds limit = std::chrono::seconds(120));
  ~CaseTest() override;

  // Lives as long as the test.
  Cluster& Make(ClusterOptions options);

 private:
  void Watch();
  void PrintLogs();

  const std::chrono::seconds limit_;
  Notification over_;
  std::list<Cluster> clusters_;
  std::thread watchdog_;
};

// Time since it was made.
class Stopwatch {
 public:
  // Less than `limit` seconds, or that times kSlowdown under a sanitizer.
  bool IsBelow(double limit) const { return Seconds() < limit * kSlowdown; }
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Asks `condition` until it is true; false when it is not after `patience` times kSlowdown.
template <typename Condition>
bool Eventually(std::chrono::milliseconds patience, Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + patience * kSlowdown;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(milliseconds(20));
  }
  return true;
}

MATCHER_P(HasCode, code, "") { return arg.code() == code; }
MATCHER_P(TextHas, text, "") { return Message(arg).find(text) != std::string_view::npos; }

// "/job:ps/task:0", for scopes.
inline std::string Device(const std::string& job, int index = 0) {
  return "/job:" + job + "/task:" + std::to_string(index);
}

}  // namespace rheo::cluster_test

#endif  // RHEO_TESTS_CLUSTER_CASE_TEST_H_
