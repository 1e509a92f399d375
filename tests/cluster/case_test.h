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

// A case that is not over after 120 s (times kSlowdown) ends the whole program, its logs shown.
class CaseTest : public testing::Test {
 protected:
  CaseTest();
  ~CaseTest() override;

  // Lives as long as the test.
  Cluster& Make(ClusterOptions options);

 private:
  void Watch();
  void PrintLogs();

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
