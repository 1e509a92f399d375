// The `rheo` command.

#include <fcntl.h>
#include <fmt/core.h>

#include <string>
#include <string_view>
#include <vector>

#include "flags.h"
#include "rheo/base/log.h"
#include "rheo/base/stderr.h"

namespace {

constexpr std::string_view kVersion = "0.1.0";

constexpr std::string_view kHelp =
    R"(rheo runs dataflow graphs on a cluster of tasks; it speaks TensorFlow's protocol.

  rheo serve   --cluster_spec SPEC --job_name JOB --task_id N    serve one task of a cluster
  rheo launch  --ps N --workers M -- PROGRAM ARGS…               run a program as a local cluster
  rheo status  HOST:PORT…                                        what tasks do right now
  rheo credentials DIR HOST…                                     make certificates for one job
  rheo version
  rheo help

`rheo serve --help` and `rheo launch --help` tell more. Exit codes: 0 done, 1 the job failed, 2 the
call was wrong.

Example:
  rheo serve --cluster_spec 'ps|127.0.0.1:7000,worker|127.0.0.1:7001' --job_name ps --task_id 0
)";

// A process that was started without stdin, stdout or stderr would take sockets for them.
void OpenStandardFiles() {
  while (true) {
    const int fd = open("/dev/null", O_RDWR);
    if (fd > STDERR_FILENO) close(fd);
    if (fd < 0 || fd > STDERR_FILENO) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  OpenStandardFiles();
  rheo::SetLogLevel(rheo::LogLevel::kInfo);
  const std::vector<std::string> args(argv + 1, argv + argc);
  const std::string_view command = args.empty() ? std::string_view("help") : args[0];
  const std::vector<std::string> rest(args.empty() ? args.end() : args.begin() + 1, args.end());
  if (command == "serve") return rheo::app::Serve(rest);
  if (command == "launch") return rheo::app::Launch(rest);
  if (command == "status") return rheo::app::ShowStatus(rest);
  if (command == "credentials") return rheo::app::MakeCredentials(rest);
  if (command == "version" || command == "--version") {
    fmt::print("rheo {}\n", kVersion);
    return rheo::app::kDone;
  }
  if (command == "help" || command == "--help") {
    fmt::print("{}", kHelp);
    return args.empty() ? rheo::app::kWrongCall : rheo::app::kDone;
  }
  rheo::PrintToStderr(
      "rheo: there is no command '{}'; the commands are serve, launch, status, credentials, "
      "version, help\n",
      command);
  return rheo::app::kWrongCall;
}
