#include "child.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstring>

namespace rheo::bench {

StatusOr<int> StartChild(const std::string& role) {
  int ends[2];
  if (pipe(ends) != 0) return Internal("pipe: {}", strerror(errno));
  const pid_t child = fork();
  if (child < 0) return Internal("fork: {}", strerror(errno));
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    close(STDIN_FILENO);
    execl("/proc/self/exe", "bench_client", role.c_str(), nullptr);
    _exit(1);
  }
  close(ends[1]);
  int port = 0;
  const ssize_t got = read(ends[0], &port, sizeof(port));
  close(ends[0]);
  if (got != sizeof(port)) return Internal("the child {} ended early", role);
  return port;
}

void ServeAsChild(const std::function<void(const std::function<void(int)>&)>& serve) {
  serve([](int port) {
    if (write(STDOUT_FILENO, &port, sizeof(port)) != sizeof(port)) _exit(1);
  });
  _exit(0);
}

}  // namespace rheo::bench
