// rheo launch: one program as a cluster of processes on this machine.

#include <arpa/inet.h>
#include <errno.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "child_process.h"
#include "flags.h"
#include "rheo/base/stderr.h"

namespace rheo::app {
namespace {

constexpr std::string_view kHelp = R"(rheo launch --ps N --workers M -- PROGRAM ARGS…

Runs PROGRAM once for each task of a cluster on this machine, with the environment variable TF_CONFIG
naming the cluster and the task. Each line of output is prefixed by its task. When all workers have
ended well the parameter servers are stopped and the exit code is 0; when a process fails, all are
stopped and the exit code is 1. Ctrl-C stops all.

  --ps N        parameter servers (default 1)
  --workers M   workers (default 1)

Example:
  rheo launch --ps 1 --workers 2 -- build/release/bin/digits
)";

// After SIGTERM a process has this long before it is killed.
constexpr auto kStopGrace = std::chrono::seconds(5);

using Clock = std::chrono::steady_clock;

struct Member {
  std::string job;
  int index = 0;
  ChildProcess process;
  std::string Name() const { return fmt::format("{}:{}", job, index); }
};

// Ports of 127.0.0.1 that are free now; all are held until all are found, so they differ.
StatusOr<std::vector<int>> FreePorts(int count) {
  std::vector<int> sockets;
  std::vector<int> ports;
  Status status;
  for (int i = 0; i < count && status.ok(); ++i) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockets.push_back(fd);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (fd < 0 || bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      status = Internal("no free port on 127.0.0.1: {}", std::strerror(errno));
    } else {
      ports.push_back(ntohs(address.sin_port));
    }
  }
  for (const int fd : sockets) {
    if (fd >= 0) close(fd);
  }
  if (!status.ok()) return status;
  return ports;
}

std::string TfConfig(const std::vector<int>& ports, int num_ps, const std::string& job, int index) {
  nlohmann::json config;
  for (size_t i = 0; i < ports.size(); ++i) {
    const bool is_ps = static_cast<int>(i) < num_ps;
    config["cluster"][is_ps ? "ps" : "worker"].push_back(fmt::format("127.0.0.1:{}", ports[i]));
  }
  config["task"] = {{"type", job}, {"index", index}};
  return config.dump();
}

void PrintLines(Member& member) {
  for (const std::string& line : member.process.ReadLines()) {
    fmt::print("[{}] {}\n", member.Name(), line);
  }
  std::fflush(stdout);
}

// Stops everybody: SIGTERM, then SIGKILL for those who do not end.
void StopAll(std::vector<Member>& members) {
  for (Member& member : members) member.process.Signal(SIGTERM);
  const auto deadline = Clock::now() + kStopGrace;
  bool running = true;
  while (running) {
    running = false;
    for (Member& member : members) {
      PrintLines(member);
      running |= !member.process.Poll();
    }
    if (running && Clock::now() > deadline) {
      for (Member& member : members) member.process.Signal(SIGKILL);
    }
    if (running) poll(nullptr, 0, 10);
  }
  for (Member& member : members) PrintLines(member);
}

// Runs until the job is over; the exit code.
int Supervise(std::vector<Member>& members, int signals) {
  while (true) {
    std::vector<pollfd> fds{{.fd = signals, .events = POLLIN}};
    for (const Member& member : members) {
      if (member.process.output_fd() >= 0) {
        fds.push_back({.fd = member.process.output_fd(), .events = POLLIN});
      }
    }
    poll(fds.data(), fds.size(), 100);
    signalfd_siginfo info;
    bool interrupted = false;
    while (read(signals, &info, sizeof info) == sizeof info) {
      interrupted |= info.ssi_signo == SIGINT || info.ssi_signo == SIGTERM;
    }
    for (Member& member : members) PrintLines(member);
    if (interrupted) {
      PrintToStderr("rheo launch: interrupted; stopping all tasks\n");
      StopAll(members);
      return kJobFailed;
    }
    bool workers_done = true;
    for (Member& member : members) {
      const bool ended = member.process.Poll();
      if (ended && !member.process.succeeded()) {
        PrintLines(member);
        StopAll(members);
        PrintToStderr("rheo launch: /job:{}/task:{} (pid {}) failed: {}; all tasks were stopped\n",
                      member.job, member.index, member.process.pid(), member.process.DescribeEnd());
        return kJobFailed;
      }
      if (member.job != "ps") workers_done &= ended;
    }
    if (workers_done) {
      StopAll(members);
      return kDone;
    }
  }
}

}  // namespace

int Launch(const std::vector<std::string>& args) {
  int num_ps = 1;
  int num_workers = 1;
  bool help = false;
  StatusOr<std::vector<std::string>> program =
      ParseFlags(args, {{.name = "ps", .number = &num_ps},
                        {.name = "workers", .number = &num_workers},
                        {.name = "help", .on = &help}});
  if (!program.ok()) return WrongCall("launch", program.status());
  if (help) {
    fmt::print("{}", kHelp);
    return kDone;
  }
  if (program->empty()) {
    return WrongCall("launch", InvalidArgument("name the program to run, after --"));
  }
  if (num_ps < 0 || num_workers < 1 || num_ps > 1000 || num_workers > 1000) {
    return WrongCall("launch",
                     InvalidArgument("--ps {} --workers {} is no cluster; use at least one "
                                     "worker, and at most 1000 of each",
                                     num_ps, num_workers));
  }
  const StatusOr<std::vector<int>> ports = FreePorts(num_ps + num_workers);
  if (!ports.ok()) return WrongCall("launch", ports.status());

  sigset_t handled;
  sigemptyset(&handled);
  sigaddset(&handled, SIGINT);
  sigaddset(&handled, SIGTERM);
  sigaddset(&handled, SIGCHLD);
  sigprocmask(SIG_BLOCK, &handled, nullptr);
  const int signals = signalfd(-1, &handled, SFD_NONBLOCK | SFD_CLOEXEC);

  std::vector<Member> members;
  for (int i = 0; i < num_ps + num_workers; ++i) {
    const bool is_ps = i < num_ps;
    const std::string job = is_ps ? "ps" : "worker";
    const int index = is_ps ? i : i - num_ps;
    StatusOr<ChildProcess> process =
        ChildProcess::Start(*program, {{"TF_CONFIG", TfConfig(*ports, num_ps, job, index)}});
    if (!process.ok()) {
      StopAll(members);
      return WrongCall("launch", process.status());
    }
    members.push_back({job, index, *std::move(process)});
    PrintToStderr("rheo launch: {} is pid {}, at 127.0.0.1:{}\n", members.back().Name(),
                  members.back().process.pid(), (*ports)[static_cast<size_t>(i)]);
  }
  return Supervise(members, signals);
}

}  // namespace rheo::app
