#include "case_test.h"

#include <cstdio>
#include <cstdlib>

namespace rheo::cluster_test {

bool RunsInFull() { return std::getenv("RHEO_FULL_CASES") != nullptr; }

CaseTest::CaseTest(seconds limit) : limit_(limit * kSlowdown), watchdog_([this] { Watch(); }) {}

CaseTest::~CaseTest() {
  over_.Notify();
  watchdog_.join();
  if (HasFailure()) PrintLogs();
}

Cluster& CaseTest::Make(ClusterOptions options) {
  return clusters_.emplace_back(std::move(options));
}

void CaseTest::Watch() {
  if (over_.WaitUntil(std::chrono::steady_clock::now() + limit_)) return;
  std::fprintf(stderr, "the case is not over after %d s\n", static_cast<int>(limit_.count()));
  PrintLogs();
  std::_Exit(1);  // the servers end with this process
}

void CaseTest::PrintLogs() {
  for (const Cluster& cluster : clusters_) std::fprintf(stderr, "%s", cluster.Logs().c_str());
}

}  // namespace rheo::cluster_test
