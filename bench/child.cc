#include "child.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstring>

namespace rheo::bench {

StatusOr<int> ForkServer(const std::function<void(const std::function<void(int)>&)>& serve) {
  int ends[2];
  if (pipe(ends) != 0) return Internal("pipe: {}", strerror(errno));
  const pid_t child = fork();
  if (child < 0) return Internal("fork: {}", strerror(errno));
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(ends[0]);
    close(STDIN_FILENO);
    serve([&](int port) {
      if (write(ends[1], &port, sizeof(port)) != sizeof(port)) _exit(1);
    });
    _exit(0);
  }
  close(ends[1]);
  int port = 0;
  const ssize_t got = read(ends[0], &port, sizeof(port));
  close(ends[0]);
  if (got != sizeof(port)) return Internal("a child that should serve a port ended early");
  return port;
}

}  // namespace rheo::bench
