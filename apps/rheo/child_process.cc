#include "child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace rheo::app {
namespace {

// In the child, between fork and exec: only async-signal-safe calls, apart from setenv, which is
// safe here because the parent has a single thread.
[[noreturn]] void RunChild(const std::vector<std::string>& command,
                           const std::vector<std::pair<std::string, std::string>>& env,
                           int output_fd, int error_fd) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(output_fd, STDOUT_FILENO);
  dup2(output_fd, STDERR_FILENO);
  for (const auto& [name, value] : env) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (const std::string& arg : command) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  const int error = errno;
  // The parent reads why; if that fails it sees a closed pipe and exit code 127.
  [[maybe_unused]] const auto written = write(error_fd, &error, sizeof error);
  _exit(127);
}

}  // namespace

StatusOr<ChildProcess> ChildProcess::Start(
    const std::vector<std::string>& command,
    const std::vector<std::pair<std::string, std::string>>& env) {
  int output[2];
  int error[2];
  if (pipe2(output, O_CLOEXEC) != 0) return Internal("pipe: {}", std::strerror(errno));
  if (pipe2(error, O_CLOEXEC) != 0) {
    close(output[0]);
    close(output[1]);
    return Internal("pipe: {}", std::strerror(errno));
  }
  const pid_t pid = fork();
  if (pid == 0) RunChild(command, env, output[1], error[1]);
  close(output[1]);
  close(error[1]);
  int exec_error = 0;
  const auto got = pid < 0 ? 0 : read(error[0], &exec_error, sizeof exec_error);
  close(error[0]);
  if (pid < 0 || got == sizeof exec_error) {
    close(output[0]);
    if (pid > 0) waitpid(pid, nullptr, 0);
    return InvalidArgument("cannot run '{}': {}", command[0],
                           std::strerror(pid < 0 ? errno : exec_error));
  }
  fcntl(output[0], F_SETFL, O_NONBLOCK);
  return ChildProcess(pid, output[0]);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      output_fd_(std::exchange(other.output_fd_, -1)),
      partial_(std::move(other.partial_)),
      ended_(other.ended_),
      wait_status_(other.wait_status_) {}

ChildProcess::~ChildProcess() {
  if (pid_ > 0 && !ended_) {
    Signal(SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (output_fd_ >= 0) close(output_fd_);
}

std::vector<std::string> ChildProcess::ReadLines() {
  std::vector<std::string> lines;
  if (output_fd_ < 0) return lines;
  char buffer[4096];
  ssize_t n = 0;
  while ((n = read(output_fd_, buffer, sizeof buffer)) > 0) {
    partial_.append(buffer, static_cast<size_t>(n));
  }
  size_t start = 0;
  for (size_t end; (end = partial_.find('\n', start)) != std::string::npos; start = end + 1) {
    lines.push_back(partial_.substr(start, end - start));
  }
  partial_.erase(0, start);
  if (n == 0) {
    close(output_fd_);
    output_fd_ = -1;
    if (!partial_.empty()) lines.push_back(std::exchange(partial_, {}));
  }
  return lines;
}

void ChildProcess::Signal(int signal) const {
  if (pid_ > 0 && !ended_) kill(-pid_, signal);
}

bool ChildProcess::Poll() {
  if (!ended_ && waitpid(pid_, &wait_status_, WNOHANG) == pid_) ended_ = true;
  return ended_;
}

std::string ChildProcess::DescribeEnd() const {
  if (WIFSIGNALED(wait_status_)) {
    return fmt::format("killed by signal {} ({})", WTERMSIG(wait_status_),
                       strsignal(WTERMSIG(wait_status_)));
  }
  return fmt::format("exit code {}", WEXITSTATUS(wait_status_));
}

bool ChildProcess::succeeded() const {
  return ended_ && WIFEXITED(wait_status_) && WEXITSTATUS(wait_status_) == 0;
}

}  // namespace rheo::app
