// ChildProcess: a program that runs with its output on a pipe.
#ifndef RHEO_APPS_RHEO_CHILD_PROCESS_H_
#define RHEO_APPS_RHEO_CHILD_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "rheo/base/status.h"

namespace rheo::app {

// Not thread-safe. The child is in a process group of its own and gets SIGTERM when this process
// dies, so that nothing is left behind.
class ChildProcess {
 public:
  // INVALID_ARGUMENT when the program cannot be run, naming it and why.
  static StatusOr<ChildProcess> Start(const std::vector<std::string>& command,
                                      const std::vector<std::pair<std::string, std::string>>& env);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  // Kills the process group if the child still runs.
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  int output_fd() const { return output_fd_; }  // stdout and stderr; -1 once closed
  // Whole lines that have come since, without their ends. Closes the descriptor at its end, after
  // which a last line without an end is given too. Never blocks.
  std::vector<std::string> ReadLines();

  // To the whole process group.
  void Signal(int signal) const;
  // Whether it has ended; never blocks. `wait_status` is waitpid's.
  bool Poll();
  bool has_ended() const { return ended_; }
  int wait_status() const { return wait_status_; }
  // "exit code 3" or "killed by signal 9 (Killed)".
  std::string DescribeEnd() const;
  bool succeeded() const;

 private:
  ChildProcess(pid_t pid, int output_fd) : pid_(pid), output_fd_(output_fd) {}

  pid_t pid_;
  int output_fd_;
  std::string partial_;
  bool ended_ = false;
  int wait_status_ = 0;
};

}  // namespace rheo::app

#endif  // RHEO_APPS_RHEO_CHILD_PROCESS_H_
