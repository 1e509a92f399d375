#include "case_test.h"

#include <cstdio>
#include <cstdlib>

namespace rheo::cluster_test {
namespace {

constexpr seconds kLimit = seconds(120) * kSlowdown;

}  // namespace

CaseTest::CaseTest() : watchdog_([this] { Watch(); }) {}

CaseTest::~CaseTest() {
  over_.Notify();
  watchdog_.join();
  if (HasFailure()) PrintLogs();
}

Cluster& CaseTest::Make(ClusterOptions options) {
  return clusters_.emplace_back(std::move(options));
}

void CaseTest::Watch() {
  if (over_.WaitUntil(std::chrono::steady_clock::now() + kLimit)) return;
  std::fprintf(stderr, "the case is not over after %d s\n", static_cast<int>(kLimit.count()));
  PrintLogs();
  std::_Exit(1);  // the servers end with this process
}

void CaseTest::PrintLogs() {
  for (const Cluster& cluster : clusters_) std::fprintf(stderr, "%s", cluster.Logs().c_str());
}

}  // namespace rheo::cluster_test
