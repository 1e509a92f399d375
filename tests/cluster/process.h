// Process: a program that a test starts, with its output in a file.
#ifndef RHEO_TESTS_CLUSTER_PROCESS_H_
#define RHEO_TESTS_CLUSTER_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rheo::cluster_test {

using Environment = std::vector<std::pair<std::string, std::string>>;

// What a process uses, from /proc.
struct Usage {
  int threads = 0;
  int own_threads = 0;  // those that are not of gRPC's pools, which it sizes by itself
  int descriptors = 0;
  int64_t resident_kib = 0;
};

Usage UsageOf(pid_t pid);

// One owner. The process dies with the test program, however that ends.
class Process {
 public:
  // `command` begins with the program's path; `env` is set over this process's environment.
  static std::unique_ptr<Process> Start(const std::vector<std::string>& command,
                                        const Environment& env = {});
  // Kills it if it still runs. The test fails if a sanitizer has found something in it.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void Signal(int signal) const;
  // SIGKILL, and waits for the end.
  void Kill();
  // The exit code, minus the signal if one ended it, nullopt if it still runs at the end of
  // `patience` times kSlowdown.
  std::optional<int> WaitExit(std::chrono::milliseconds patience);

  // Everything it has printed so far, on both streams.
  std::string Log() const;
  // False when `text` did not appear in `patience`, or the process ended without it.
  bool AwaitLog(const std::string& text, std::chrono::milliseconds patience);

  Usage usage() const { return UsageOf(pid_); }

 private:
  Process(pid_t pid, std::string log_path) : pid_(pid), log_path_(std::move(log_path)) {}

  const pid_t pid_;
  const std::string log_path_;
  std::optional<int> exit_;
};

// The path of a program of this build.
std::string BuiltProgram(const std::string& name);

}  // namespace rheo::cluster_test

#endif  // RHEO_TESTS_CLUSTER_PROCESS_H_
