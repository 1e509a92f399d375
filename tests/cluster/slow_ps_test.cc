// A ps that is slower than its clients.
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "case_test.h"

namespace rheo::cluster_test {
namespace {

class SlowPs : public CaseTest {};

constexpr int kClients = 16;
constexpr int kSeconds = 15;
constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kLimit = 256 * kMiB;
constexpr int64_t kValueBytes = 10 * kMiB;

// Threads that start later come on the core too.
void TieToOneCore(pid_t pid) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(0, &cores);
  const std::string folder = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& thread : std::filesystem::directory_iterator(folder)) {
    sched_setaffinity(std::stoi(thread.path().filename()), sizeof cores, &cores);
  }
}

// The most that the process ever had in memory.
int64_t PeakBytes(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;) {
    int64_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib << 10;
  }
  return -1;
}

struct Report {
  std::optional<int> exit;
  int steps = 0;
  int64_t longest_ms = 0;
};

Report Await(Process& client) {
  Report report;
  report.exit = client.WaitExit(seconds(kSeconds + 40));
  std::istringstream words(client.Log());
  std::string word;
  words >> word >> report.steps >> word >> report.longest_ms;
  if (report.exit != 0) ADD_FAILURE() << client.Log();
  return report;
}

TEST_F(SlowPs, Server24_HoldsBackWhatItCannotTakeAndServesEveryClient) {
  Cluster& cluster = Make({.ps = 1, .workers = 0, .start = false});
  const Process& ps = cluster.Start("ps", 0, {"--max_bytes_in_flight", std::to_string(kLimit)});
  TieToOneCore(ps.pid());
  const auto start_client = [&](int run_seconds) {
    return Process::Start({BuiltProgram("cluster_feeder"), cluster.Target("ps"),
                           std::to_string(run_seconds), std::to_string(kValueBytes / 4)});
  };
  Await(*start_client(0));
  std::vector<std::unique_ptr<Process>> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.push_back(start_client(kSeconds));
  }
  for (const auto& client : clients) {
    const Report report = Await(*client);
    EXPECT_GT(report.steps, 0);
    EXPECT_LT(report.longest_ms, 10'000);
  }
  EXPECT_LT(static_cast<double>(PeakBytes(ps.pid())),
            static_cast<double>(kValueBytes + kLimit + 100 * kMiB) * kMemorySlack);
}

}  // namespace
}  // namespace rheo::cluster_test
