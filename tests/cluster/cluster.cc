#include "cluster.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>
#include <set>

#include "rheo/base/sanitizers.h"

namespace rheo::cluster_test {
namespace {

constexpr std::chrono::seconds kReady = std::chrono::seconds(20) * kSlowdown;

bool CanListen(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool is_bound = bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return is_bound;
}

}  // namespace

int FreePort() {
  // Below the ports that the system gives to connections by itself, one of which would else be the
  // chosen port before its server listens.
  static std::mt19937 random{std::random_device{}()};
  static std::set<int> given;  // and not listened on yet, perhaps
  std::uniform_int_distribution<int> ports(10'000, 32'000);
  for (int i = 0; i < 1000; ++i) {
    const int port = ports(random);
    if (CanListen(port) && given.insert(port).second) return port;
  }
  ADD_FAILURE() << "no free port on 127.0.0.1";
  return 0;
}

std::string FreeAddress() { return fmt::format("127.0.0.1:{}", FreePort()); }

std::string TaskName(const std::string& job, int index) {
  return fmt::format("/job:{}/replica:0/task:{}", job, index);
}

Cluster::Cluster(ClusterOptions options) : options_(std::move(options)) {
  for (int i = 0; i < options_.ps; ++i) addresses_[{"ps", i}] = FreeAddress();
  for (int i = 0; i < options_.workers; ++i) addresses_[{"worker", i}] = FreeAddress();
  if (!options_.start) return;
  for (const auto& [key, address] : addresses_) Start(key.first, key.second);
}

Process& Cluster::Start(const std::string& job, int index, const std::vector<std::string>& flags) {
  std::vector<std::string> command{
      BuiltProgram("rheo"), "serve", "--cluster_spec", Spec(),
      "--job_name",         job,     "--task_id",      std::to_string(index)};
  command.insert(command.end(), options_.flags.begin(), options_.flags.end());
  command.insert(command.end(), flags.begin(), flags.end());
  std::unique_ptr<Process>& process = processes_[{job, index}];
  process.reset();  // the port is free before the next life begins
  process = Process::Start(command, options_.env);
  EXPECT_TRUE(process->AwaitLog("ready after", kReady))
      << TaskName(job, index) << " did not start: " << process->Log();
  return *process;
}

Process& Cluster::Get(const std::string& job, int index) { return *processes_.at({job, index}); }

void Cluster::Kill(const std::string& job, int index) { Get(job, index).Kill(); }
void Cluster::Freeze(const std::string& job, int index) { Get(job, index).Signal(SIGSTOP); }
void Cluster::Thaw(const std::string& job, int index) { Get(job, index).Signal(SIGCONT); }

const std::string& Cluster::Address(const std::string& job, int index) const {
  return addresses_.at({job, index});
}

std::string Cluster::Target(const std::string& job, int index) const {
  return "grpc://" + Address(job, index);
}

void Cluster::SetAddress(const std::string& job, int index, std::string address) {
  addresses_[{job, index}] = std::move(address);
}

std::string Cluster::Spec() const {
  std::string spec;
  std::string job;
  for (const auto& [key, address] : addresses_) {
    if (key.first != job) {
      job = key.first;
      spec += fmt::format("{}{}|", spec.empty() ? "" : ",", job);
    } else {
      spec += ";";
    }
    spec += address;
  }
  return spec;
}

std::string Cluster::Logs() const {
  std::string logs;
  for (const auto& [key, process] : processes_) {
    logs += fmt::format("---- {} ({}), pid {}\n{}", TaskName(key.first, key.second),
                        addresses_.at(key), process->pid(), process->Log());
  }
  return logs;
}

}  // namespace rheo::cluster_test
