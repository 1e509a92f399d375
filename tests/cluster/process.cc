#include "process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "rheo/base/sanitizers.h"

namespace rheo::cluster_test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kLook = std::chrono::milliseconds(5);
const std::set<std::string> kGrpcPools = {"grpc_global_tim", "default-executo", "resolver-executo"};

// The environment of this process with `changes`, as execve takes it.
std::vector<std::string> Merged(const Environment& changes) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    bool is_changed = false;
    for (const auto& [name, value] : changes) {
      is_changed |= std::string_view(*entry).starts_with(name + "=");
    }
    if (!is_changed) merged.emplace_back(*entry);
  }
  for (const auto& [name, value] : changes) merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& s : strings) pointers.push_back(const_cast<char*>(s.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// A descriptor that children do not inherit unless they ask.
int MakeLogFile(std::string& path) {
  path = (std::filesystem::temp_directory_path() / "rheo-cluster-XXXXXX").string();
  return mkostemp(path.data(), O_CLOEXEC);
}

}  // namespace

std::unique_ptr<Process> Process::Start(const std::vector<std::string>& command,
                                        const Environment& env) {
  std::string path;
  const int log = MakeLogFile(path);
  // All memory is had before the fork: the child may only make plain system calls.
  const std::vector<std::string> merged = Merged(env);
  const std::vector<char*> argv = Pointers(command);
  const std::vector<char*> envp = Pointers(merged);
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    execve(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  close(log);
  return std::unique_ptr<Process>(new Process(pid, std::move(path)));
}

Process::~Process() {
  Kill();
  const std::string log = Log();
  if (log.find("Sanitizer") != std::string::npos ||
      log.find("runtime error:") != std::string::npos) {
    ADD_FAILURE() << "a sanitizer found something in a server:\n" << log;
  }
  unlink(log_path_.c_str());
}

void Process::Signal(int signal) const {
  if (!exit_ && pid_ > 0) kill(pid_, signal);
}

void Process::Kill() {
  Signal(SIGKILL);
  WaitExit(std::chrono::seconds(10));
}

std::optional<int> Process::WaitExit(std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience * kSlowdown;
  while (!exit_) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      exit_ = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    } else if (Clock::now() > deadline) {
      return std::nullopt;
    } else {
      std::this_thread::sleep_for(kLook);
    }
  }
  return exit_;
}

std::string Process::Log() const {
  std::ifstream file(log_path_, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool Process::AwaitLog(const std::string& text, std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  while (Log().find(text) == std::string::npos) {
    if (WaitExit({})) return Log().find(text) != std::string::npos;
    if (Clock::now() > deadline) return false;
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

Usage UsageOf(pid_t pid) {
  Usage usage;
  const std::string proc = "/proc/" + std::to_string(pid);
  std::ifstream status(proc + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Threads:")) usage.threads = std::stoi(line.substr(8));
    if (line.starts_with("VmRSS:")) usage.resident_kib = std::stoll(line.substr(6));
  }
  for (const auto& thread : std::filesystem::directory_iterator(proc + "/task")) {
    std::ifstream comm(thread.path() / "comm");
    std::string name;
    // One that has ended meanwhile has no name.
    if (std::getline(comm, name) && !kGrpcPools.contains(name)) ++usage.own_threads;
  }
  for ([[maybe_unused]] const auto& fd : std::filesystem::directory_iterator(proc + "/fd")) {
    ++usage.descriptors;
  }
  return usage;
}

std::string BuiltProgram(const std::string& name) {
  const char* build = getenv("RHEO_BINARY_DIR");
  if (build == nullptr) {
    std::fprintf(stderr, "RHEO_BINARY_DIR must name the build folder\n");
    std::abort();
  }
  return std::string(build) + "/bin/" + name;
}

}  // namespace rheo::cluster_test
